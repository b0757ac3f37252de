import type { ContentPart, KnownEventType } from "../model/index.ts";

/**
 * A string that arrives in pieces: the part or item that holds it, the field that it fills, and the two events that carry
 * it. Folding, closing, expanding, checking and repairing a stream all read this one table.
 */
export interface Strand {
  place: "content" | "summary" | "item";
  /** The type of the part, or of the item, that holds the string. */
  holder: string;
  /** The field of the holder, and of the `done` event, that holds the whole. */
  field: "text" | "refusal" | "arguments" | "input" | "code";
  delta: KnownEventType;
  done: KnownEventType;
}

const strands: readonly Strand[] = [
  {
    place: "content",
    holder: "output_text",
    field: "text",
    delta: "response.output_text.delta",
    done: "response.output_text.done",
  },
  { place: "content", holder: "refusal", field: "refusal", delta: "response.refusal.delta", done: "response.refusal.done" },
  {
    place: "content",
    holder: "reasoning_text",
    field: "text",
    delta: "response.reasoning.delta",
    done: "response.reasoning.done",
  },
  {
    place: "summary",
    holder: "summary_text",
    field: "text",
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
  },
  {
    place: "item",
    holder: "function_call",
    field: "arguments",
    delta: "response.function_call_arguments.delta",
    done: "response.function_call_arguments.done",
  },
  {
    place: "item",
    holder: "mcp_call",
    field: "arguments",
    delta: "response.mcp_call_arguments.delta",
    done: "response.mcp_call_arguments.done",
  },
  {
    place: "item",
    holder: "custom_tool_call",
    field: "input",
    delta: "response.custom_tool_call_input.delta",
    done: "response.custom_tool_call_input.done",
  },
  {
    place: "item",
    holder: "code_interpreter_call",
    field: "code",
    delta: "response.code_interpreter_call_code.delta",
    done: "response.code_interpreter_call_code.done",
  },
];

const by = (key: "holder" | "delta" | "done"): ReadonlyMap<string, Strand> =>
  new Map(strands.map((strand) => [strand[key], strand]));

/** The strand of a part's or an item's type. */
export const strandOf: ReadonlyMap<string, Strand> = by("holder");
/** The strand that a delta event feeds. */
export const strandOfDelta: ReadonlyMap<string, Strand> = by("delta");
/** The strand that a done event closes. */
export const strandOfDone: ReadonlyMap<string, Strand> = by("done");

/** An empty part of a type, as `content_part.added` shows it. */
export function blankPart(type: string): ContentPart {
  if (type === "refusal") return { type, refusal: "" };
  if (type === "reasoning_text" || type === "summary_text") return { type, text: "" };
  return { type: "output_text", text: "", annotations: [], logprobs: [] };
}
