import { isObject, isRun } from "../model/guards.ts";
import type { EventOf, Item, KnownEventType, ResponseEvent, ResponseResource } from "../model/index.ts";
import { AntiphonError } from "./error.ts";
import { checkArgument } from "./options.ts";
import { joined } from "./runs.ts";
import { contentOf, copyPart, openSlot, summaryOf, type Slot } from "./slot.ts";

/** A fold as JSON: what there is of a response, and how far each of its items has come. */
export interface FoldSnapshot {
  response: ResponseResource;
  slots: Slot[];
}

/**
 * Reduces events to a response step by step. Slots are keyed by `output_index`: some servers change ids on the way.
 */
export class Reducer {
  readonly slots: (Slot | undefined)[] = [];
  /** The newest response that an event carried. */
  base: ResponseResource | undefined;

  // Deltas come in runs of one type: remembering the last arm saves hashing its name again.
  #type = "";
  #arm: Arm | undefined;

  /** A fold that goes on from where another one stood. */
  static from(snapshot: FoldSnapshot): Reducer {
    const { response, slots } = structuredClone(snapshot);
    const fold = new Reducer();
    fold.base = response;
    fold.slots.push(...slots);
    return fold;
  }

  push(event: ResponseEvent): void {
    if (event.type !== this.#type) {
      this.#type = event.type;
      this.#arm = table.get(event.type);
    }
    this.#arm?.(this, event);
  }

  /** The slot at an index, if it is still being written. */
  open(index: number): Slot | undefined {
    const slot = this.slots[index];
    return slot?.open ? slot : undefined;
  }

  /** The items so far, as they stand. */
  get items(): Item[] {
    return this.slots.flatMap((slot) => (slot ? [slot.item] : []));
  }

  /** The response so far. */
  get response(): ResponseResource {
    if (!this.base) throw new AntiphonError("PROTOCOL", "There is no response yet: no event contained one.");
    const items = this.items;
    return this.base.output.length >= items.length ? this.base : { ...this.base, output: items };
  }

  /** Where the fold stands, as a value of its own; nothing before an event carried a response. */
  snapshot(): FoldSnapshot | undefined {
    if (!this.base) return undefined;
    return structuredClone({ response: this.base, slots: this.slots.map((slot) => slot!) });
  }
}

type Arm = (fold: Reducer, event: ResponseEvent) => void;
type Arms = { [K in KnownEventType]: (fold: Reducer, event: EventOf<K>) => void };

const adopt = (fold: Reducer, event: { response: ResponseResource }): void => {
  fold.base = event.response;
};
const ignore = (): void => {};

const contentAt = (fold: Reducer, event: { output_index: number; content_index: number }) => {
  const slot = fold.open(event.output_index);
  return slot && contentOf(slot.item)?.[event.content_index];
};
const summaryAt = (fold: Reducer, event: { output_index: number; summary_index: number }) => {
  const slot = fold.open(event.output_index);
  return slot && summaryOf(slot.item)?.[event.summary_index];
};

/** Sets the status of an item whose type has the status that the event's name ends in. */
const stage =
  <T extends Item["type"]>(type: T, status: string) =>
  (fold: Reducer, event: { output_index: number }): void => {
    const slot = fold.open(event.output_index);
    if (slot?.item.type === type) slot.item.status = status as never;
  };

/** Marks the part that an event spoke of. */
const mark = (
  fold: Reducer,
  event: { output_index: number; content_index?: number; summary_index?: number },
  state: "said" | "closed",
): void => {
  const slot = fold.open(event.output_index);
  if (!slot) return;
  if (event.content_index !== undefined) slot.parts[event.content_index] = state;
  else if (event.summary_index !== undefined) slot.summaries[event.summary_index] = state;
  else slot.said = true;
};

const arms: Arms = {
  "response.created": adopt,
  "response.queued": adopt,
  "response.in_progress": adopt,
  "response.completed": adopt,
  "response.incomplete": adopt,
  "response.failed": adopt,
  error: ignore,

  "response.output_item.added": (fold, event) => {
    fold.slots[event.output_index] = openSlot(event.item);
  },
  "response.output_item.done": (fold, event) => {
    const slot = (fold.slots[event.output_index] ??= openSlot(event.item));
    slot.item = event.item;
    slot.open = false;
  },
  "response.content_part.added": (fold, event) => {
    const slot = fold.open(event.output_index);
    const content = slot && contentOf(slot.item);
    if (!content) return;
    content[event.content_index] = copyPart(event.part);
    slot.parts[event.content_index] = "open";
  },
  "response.content_part.done": (fold, event) => {
    const slot = fold.open(event.output_index);
    const content = slot && contentOf(slot.item);
    if (content) content[event.content_index] = copyPart(event.part);
    mark(fold, event, "closed");
  },
  "response.output_text.delta": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type !== "output_text") return;
    part.text += event.delta;
    if (event.logprobs?.length) (part.logprobs ??= []).push(...event.logprobs);
  },
  "response.output_text.done": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "output_text") part.text = event.text;
    mark(fold, event, "said");
  },
  "response.output_text.annotation.added": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "output_text") part.annotations[event.annotation_index] = event.annotation;
  },
  "response.refusal.delta": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "refusal") part.refusal += event.delta;
  },
  "response.refusal.done": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "refusal") part.refusal = event.refusal;
    mark(fold, event, "said");
  },
  "response.reasoning.delta": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "reasoning_text") part.text += event.delta;
  },
  "response.reasoning.done": (fold, event) => {
    const part = contentAt(fold, event);
    if (part?.type === "reasoning_text") part.text = event.text;
    mark(fold, event, "said");
  },
  "response.reasoning_summary_part.added": (fold, event) => {
    const slot = fold.open(event.output_index);
    const summary = slot && summaryOf(slot.item);
    if (!summary) return;
    summary[event.summary_index] = copyPart(event.part);
    slot.summaries[event.summary_index] = "open";
  },
  "response.reasoning_summary_part.done": (fold, event) => {
    const slot = fold.open(event.output_index);
    const summary = slot && summaryOf(slot.item);
    if (summary) summary[event.summary_index] = copyPart(event.part);
    mark(fold, event, "closed");
  },
  "response.reasoning_summary_text.delta": (fold, event) => {
    const part = summaryAt(fold, event);
    if (part) part.text += event.delta;
  },
  "response.reasoning_summary_text.done": (fold, event) => {
    const part = summaryAt(fold, event);
    if (part) part.text = event.text;
    mark(fold, event, "said");
  },
  "response.function_call_arguments.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "function_call") item.arguments += event.delta;
  },
  "response.function_call_arguments.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "function_call") item.arguments = event.arguments;
    mark(fold, { output_index: event.output_index }, "said");
  },

  "response.web_search_call.in_progress": stage("web_search_call", "in_progress"),
  "response.web_search_call.searching": stage("web_search_call", "searching"),
  "response.web_search_call.completed": stage("web_search_call", "completed"),
  "response.file_search_call.in_progress": stage("file_search_call", "in_progress"),
  "response.file_search_call.searching": stage("file_search_call", "searching"),
  "response.file_search_call.completed": stage("file_search_call", "completed"),
  "response.code_interpreter_call.in_progress": stage("code_interpreter_call", "in_progress"),
  "response.code_interpreter_call.interpreting": stage("code_interpreter_call", "interpreting"),
  "response.code_interpreter_call.completed": stage("code_interpreter_call", "completed"),
  "response.code_interpreter_call_code.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "code_interpreter_call") item.code = (item.code ?? "") + event.delta;
  },
  "response.code_interpreter_call_code.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "code_interpreter_call") item.code = event.code;
    mark(fold, { output_index: event.output_index }, "said");
  },
  "response.image_generation_call.in_progress": stage("image_generation_call", "in_progress"),
  "response.image_generation_call.generating": stage("image_generation_call", "generating"),
  "response.image_generation_call.completed": stage("image_generation_call", "completed"),
  "response.image_generation_call.partial_image": ignore,
  "response.mcp_list_tools.in_progress": stage("mcp_list_tools", "in_progress"),
  "response.mcp_list_tools.completed": stage("mcp_list_tools", "completed"),
  "response.mcp_list_tools.failed": stage("mcp_list_tools", "failed"),
  "response.mcp_call.in_progress": stage("mcp_call", "in_progress"),
  "response.mcp_call.completed": stage("mcp_call", "completed"),
  "response.mcp_call.failed": stage("mcp_call", "failed"),
  "response.mcp_call_arguments.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "mcp_call") item.arguments += event.delta;
  },
  "response.mcp_call_arguments.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "mcp_call") item.arguments = event.arguments;
    mark(fold, { output_index: event.output_index }, "said");
  },
  "response.custom_tool_call_input.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "custom_tool_call") item.input += event.delta;
  },
  "response.custom_tool_call_input.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "custom_tool_call") item.input = event.input;
    mark(fold, { output_index: event.output_index }, "said");
  },
  "response.shell_call_command.added": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "shell_call")
      item.action = { ...item.action, commands: item.action.commands.toSpliced(event.command_index, 1, event.command) };
  },
  "response.shell_call_command.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "shell_call") item.action.commands[event.command_index] += event.delta;
  },
  "response.shell_call_command.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "shell_call") item.action.commands[event.command_index] = event.command;
  },
  "response.shell_call_output_content.delta": ignore,
  "response.shell_call_output_content.done": ignore,
  "response.apply_patch_call_operation_diff.delta": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "apply_patch_call" && "diff" in item.operation)
      item.operation = { ...item.operation, diff: item.operation.diff + event.delta };
  },
  "response.apply_patch_call_operation_diff.done": (fold, event) => {
    const item = fold.open(event.output_index)?.item;
    if (item?.type === "apply_patch_call" && "diff" in item.operation) item.operation = { ...item.operation, diff: event.diff };
  },
  "response.audio.delta": ignore,
  "response.audio.done": ignore,
  "response.audio.transcript.delta": ignore,
  "response.audio.transcript.done": ignore,
  keepalive: ignore,
};

// A map has no prototype to stumble over; the cast drops what `Arms` has already checked arm by arm.
const table = new Map<string, Arm>(Object.entries(arms) as [string, Arm][]);
// Pieces of a text in one event come to the same as one by one.
table.set("antiphon:run", (fold, event) => isRun(event) && fold.push(joined(event)));

/**
 * Reduces events to the response that they describe.
 *
 * @example
 * const response = reduce(events); // response.status, response.output, response.usage
 */
export function reduce(events: Iterable<ResponseEvent>): ResponseResource {
  checkArgument("reduce", "a list of events", isIterable(events), events);
  const fold = new Reducer();
  for (const event of events) {
    checkArgument("reduce", "a list of events", isObject(event), event);
    fold.push(event);
  }
  return fold.response;
}

const isIterable = (value: unknown): boolean => typeof value === "object" && value !== null && Symbol.iterator in value;
