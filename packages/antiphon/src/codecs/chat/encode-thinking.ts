import { own } from "../../model/guards.ts";
import type { CreateResponse, ReasoningEffort } from "../../model/index.ts";
import type { ChatDialect, ThinkingField } from "./dialect.ts";

/** The part of a body that this file fills. */
interface Target {
  put(name: string, value: unknown, path?: string): void;
  lose(path: string, reason: string): void;
}

const values: { [F in ThinkingField]: (effort: string) => unknown } = {
  reasoning_effort: (effort) => effort,
  reasoning: (effort) => ({ effort }),
  thinking: (effort) => ({ type: effort === "none" ? "disabled" : "enabled" }),
  enable_thinking: (effort) => effort !== "none",
};

/** Fields that can tell one effort from another, not only thinking from none. */
const graded: ReadonlySet<ThinkingField> = new Set(["reasoning_effort", "reasoning"]);

/** Asks for as much thinking as the server can be asked for. */
export function encodeThinking(reasoning: CreateResponse["reasoning"], dialect: ChatDialect, body: Target): void {
  if (reasoning?.summary) body.lose("reasoning.summary", "The Chat Completions API does not support reasoning summaries.");
  const effort = reasoning?.effort;
  if (!effort) return;
  const { thinking } = dialect;
  const word = own(dialect.efforts, effort) ?? effort;
  if (thinking.length === 0) return body.lose("reasoning.effort", "The provider does not support reasoning effort.");
  // A field that only switches off has nothing to say beside one that does the switching.
  const switches = thinking.some((field) => !graded.has(field));
  for (const field of thinking)
    if (!(switches && graded.has(field) && effort === "none")) body.put(field, values[field](word), "reasoning.effort");
  if (lossy(effort, word, thinking)) body.lose("reasoning.effort", `The provider does not support the effort "${effort}".`);
}

const lossy = (effort: ReasoningEffort, word: string, thinking: readonly ThinkingField[]): boolean =>
  word !== effort || (effort !== "none" && !thinking.some((field) => graded.has(field)));
