import type { JsonObject } from "../../model/guards.ts";
import type { ReasoningConfig, ReasoningEffort } from "../../model/index.ts";
import { differs } from "./json.ts";
import type { MessagesDialect } from "./dialect.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { newEncoding } from "./encoding.ts";
import { isBlock, objectIn, stringIn, withExtra, type Block } from "./extension.ts";

const efforts: ReadonlyMap<string, ReasoningEffort> = new Map<string, ReasoningEffort>([
  ["minimal", "minimal"],
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["xhigh", "xhigh"],
  ["max", "xhigh"],
]);

/** The greatest effort whose budget is not above the one asked for. */
function effortOfBudget(budget: unknown, { budgets }: MessagesDialect): ReasoningEffort {
  const names = [...efforts.values()].filter((name): name is keyof typeof budgets => name !== "none");
  return names.findLast((name) => typeof budget === "number" && budgets[name] <= budget) ?? "minimal";
}

function effortOf(
  thinking: Block | undefined,
  effort: string | undefined,
  dialect: MessagesDialect,
): ReasoningEffort | undefined {
  if (thinking?.type === "disabled") return "none";
  const named = efforts.get(effort ?? "");
  if (named) return named;
  return thinking?.type === "enabled" ? effortOfBudget(thinking["budget_tokens"], dialect) : undefined;
}

/**
 * What the body asks about thinking. Words of the wire that our own encoder would not choose for the same question are kept
 * beside it, so that the same question goes out.
 */
export function decodeReasoning(body: JsonObject, dialect: MessagesDialect): ReasoningConfig | undefined {
  const thinking = isBlock(body["thinking"]) ? body["thinking"] : undefined;
  const effort = stringIn(objectIn(body["output_config"])["effort"]);
  if (!thinking && effort === undefined) return undefined;
  const named = effortOf(thinking, effort, dialect);
  const shown = thinking?.["display"] === "summarized";
  const reasoning: ReasoningConfig = { ...(named && { effort: named }), ...(shown && { summary: "auto" as const }) };
  const again = encodeThinking(newEncoding({ model: stringIn(body["model"]), reasoning }, dialect));
  const same = !differs(again.thinking, thinking) && again.effort === effort;
  return same ? reasoning : { ...reasoning, ...withExtra("thinking", thinking), ...withExtra("effort", effort) };
}
