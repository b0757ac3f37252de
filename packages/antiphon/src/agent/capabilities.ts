import type { Loss } from "../core/loss.ts";
import type { Middleware } from "../core/respond.ts";
import type { CreateResponse, ReasoningEffort } from "../model/index.ts";
import { modelInfo } from "../providers/catalogue.ts";
import { telling } from "./tell-losses.ts";

/** Efforts in order, least first. */
const ladder = ["none", "minimal", "low", "medium", "high", "xhigh"] as const satisfies readonly ReasoningEffort[];

const end = String.raw`(-\d{4}-\d{2}-\d{2})?$`;
const begin = "(^|[/:.])";

/** Models that refuse efforts they do not know; others are sent whatever is asked. */
const effortsTaken: readonly (readonly [RegExp, readonly ReasoningEffort[]])[] = [
  [new RegExp(`${begin}o[134](-mini|-pro)?${end}`), ["low", "medium", "high"]],
  [new RegExp(`${begin}gpt-5(-mini|-nano)?${end}`), ["minimal", "low", "medium", "high"]],
  [new RegExp(`${begin}gpt-5-codex${end}`), ["low", "medium", "high"]],
  [new RegExp(`${begin}gpt-5\\.1${end}`), ["none", "low", "medium", "high"]],
  [new RegExp(`${begin}gpt-5\\.2${end}`), ["none", "low", "medium", "high", "xhigh"]],
];

const takesReasoning = (model: string): boolean => modelInfo(model)?.reasoning !== false;
const takesVerbosity = (model: string): boolean => modelInfo(model)?.verbosity !== false;

/** The nearest effort that a model takes: rather less than more, since more costs. */
function nearestEffort(model: string, effort: ReasoningEffort): ReasoningEffort {
  const taken = effortsTaken.find(([pattern]) => pattern.test(model))?.[1];
  if (!taken || taken.includes(effort)) return effort;
  const rank = ladder.indexOf(effort);
  return taken.findLast((other) => ladder.indexOf(other) < rank) ?? taken[0] ?? effort;
}

/** A request without what its model is known not to take, and what that was. Unknown models are sent everything. */
export function fitToModel(request: CreateResponse, model: string): { request: CreateResponse; losses: Loss[] } {
  const losses: Loss[] = [];
  const fitted = { ...request };
  if (request.reasoning) fitted.reasoning = fitReasoning(request.reasoning, model, losses);
  if (request.text?.verbosity && !takesVerbosity(model)) {
    losses.push({ path: "text.verbosity", reason: `The model "${model}" does not support \`verbosity\`.` });
    fitted.text = { ...request.text, verbosity: undefined };
  }
  return { request: fitted, losses };
}

function fitReasoning(
  reasoning: NonNullable<CreateResponse["reasoning"]>,
  model: string,
  losses: Loss[],
): CreateResponse["reasoning"] {
  const { effort, summary } = reasoning;
  if (!takesReasoning(model)) {
    const reason = `The model "${model}" does not support reasoning.`;
    // Not to think is what such a model does anyway.
    if (effort && effort !== "none") losses.push({ path: "reasoning.effort", reason });
    if (summary) losses.push({ path: "reasoning.summary", reason });
    return undefined;
  }
  const nearest = effort && nearestEffort(model, effort);
  if (nearest === effort) return reasoning;
  losses.push({
    path: "reasoning.effort",
    reason: `The model "${model}" does not support the effort "${effort}"; "${nearest}" was sent.`,
  });
  return { ...reasoning, effort: nearest };
}

/** Leaves out of every request what its model is known not to take, and says so as a wire does, in an `antiphon:loss` event. */
export const fitting =
  (model: string | undefined): Middleware =>
  (next) =>
  (asked, call) => {
    const name = asked.model ?? model;
    if (!name || !(asked.reasoning || asked.text?.verbosity)) return next(asked, call);
    const { request, losses } = fitToModel(asked, name);
    return losses.length > 0 ? telling(losses, next(request, call)) : next(asked, call);
  };
