import type { Annotation, ContentPart, LogProb, SummaryText } from "./content.ts";
import type { Item } from "./items.ts";
import type { ResponseResource } from "./response.ts";

interface OfItem {
  item_id: string;
  output_index: number;
}
interface OfPart extends OfItem {
  content_index: number;
}
interface OfSummary extends OfItem {
  summary_index: number;
}
interface OfCommand {
  output_index: number;
  command_index: number;
  item_id?: string;
}
interface Delta {
  delta: string;
  /** Padding that hides token lengths from eavesdroppers. */
  obfuscation?: string;
}

/** The specification's events: each name with its fields, less `type` and `sequence_number`. */
export interface StandardEventFields {
  /** The response exists. */
  "response.created": { response: ResponseResource };
  /** It waits for its turn. */
  "response.queued": { response: ResponseResource };
  /** The model is at work. */
  "response.in_progress": { response: ResponseResource };
  /** It ended well. */
  "response.completed": { response: ResponseResource };
  /** It stopped short; `incomplete_details` says why. */
  "response.incomplete": { response: ResponseResource };
  /** It failed; `error` says why. */
  "response.failed": { response: ResponseResource };
  /** An item begins. */
  "response.output_item.added": { output_index: number; item: Item };
  /** An item is final. */
  "response.output_item.done": { output_index: number; item: Item };
  /** A part of a message or of raw reasoning begins. */
  "response.content_part.added": OfPart & { part: ContentPart };
  /** That part is final. */
  "response.content_part.done": OfPart & { part: ContentPart };
  /** More text for the user. */
  "response.output_text.delta": OfPart & Delta & { logprobs?: LogProb[] };
  /** The whole text of a part. */
  "response.output_text.done": OfPart & { text: string; logprobs?: LogProb[] };
  /** A span of the text refers to something. */
  "response.output_text.annotation.added": OfPart & { annotation_index: number; annotation: Annotation };
  /** More of a refusal. */
  "response.refusal.delta": OfPart & Delta;
  /** The whole refusal. */
  "response.refusal.done": OfPart & { refusal: string };
  /** More raw reasoning. */
  "response.reasoning.delta": OfPart & Delta;
  /** The whole raw reasoning of a part. */
  "response.reasoning.done": OfPart & { text: string };
  /** A paragraph of a reasoning summary begins. */
  "response.reasoning_summary_part.added": OfSummary & { part: SummaryText };
  /** That paragraph is final. */
  "response.reasoning_summary_part.done": OfSummary & { part: SummaryText };
  /** More of a reasoning summary. */
  "response.reasoning_summary_text.delta": OfSummary & Delta;
  /** The whole text of a summary paragraph. */
  "response.reasoning_summary_text.done": OfSummary & { text: string };
  /** More of a call's JSON arguments. */
  "response.function_call_arguments.delta": OfItem & Delta;
  /** A call's whole arguments. */
  "response.function_call_arguments.done": OfItem & { arguments: string; name?: string };
  /** Something went wrong; `response.failed` follows. */
  error: { error: StreamError };
}

/** What an `error` event tells. */
export interface StreamError {
  type: string;
  code: string | null;
  message: string;
  param: string | null;
  headers?: Record<string, string>;
}

/** OpenAI's events of server-side tools and of free-form calls. */
export interface HostedEventFields {
  "response.web_search_call.in_progress": OfItem;
  "response.web_search_call.searching": OfItem;
  "response.web_search_call.completed": OfItem;
  "response.file_search_call.in_progress": OfItem;
  "response.file_search_call.searching": OfItem;
  "response.file_search_call.completed": OfItem;
  "response.code_interpreter_call.in_progress": OfItem;
  "response.code_interpreter_call.interpreting": OfItem;
  "response.code_interpreter_call.completed": OfItem;
  "response.code_interpreter_call_code.delta": OfItem & Delta;
  "response.code_interpreter_call_code.done": OfItem & { code: string };
  "response.image_generation_call.in_progress": OfItem;
  "response.image_generation_call.generating": OfItem;
  "response.image_generation_call.completed": OfItem;
  /** A preview; the finished picture is the item's `result`. */
  "response.image_generation_call.partial_image": OfItem & { partial_image_index: number; partial_image_b64: string };
  "response.mcp_list_tools.in_progress": OfItem;
  "response.mcp_list_tools.completed": OfItem;
  "response.mcp_list_tools.failed": OfItem;
  "response.mcp_call.in_progress": OfItem;
  "response.mcp_call.completed": OfItem;
  "response.mcp_call.failed": OfItem;
  "response.mcp_call_arguments.delta": OfItem & Delta;
  "response.mcp_call_arguments.done": OfItem & { arguments: string };
  "response.custom_tool_call_input.delta": OfItem & Delta;
  "response.custom_tool_call_input.done": OfItem & { input: string };
  "response.shell_call_command.added": OfCommand & { command: string };
  "response.shell_call_command.delta": OfCommand & Delta;
  "response.shell_call_command.done": OfCommand & { command: string };
  "response.shell_call_output_content.delta": OfCommand & { delta: { stdout?: string; stderr?: string } };
  "response.shell_call_output_content.done": OfCommand & { output: unknown };
  "response.apply_patch_call_operation_diff.delta": OfItem & Delta;
  "response.apply_patch_call_operation_diff.done": OfItem & { diff: string };
  /** Spoken output, base64. */
  "response.audio.delta": { delta: string };
  "response.audio.done": unknown;
  "response.audio.transcript.delta": { delta: string };
  "response.audio.transcript.done": unknown;
  /** Nothing happened, and the line is still open. */
  keepalive: unknown;
}

/** Every event that this library gives a meaning to. */
export type KnownEventFields = StandardEventFields & HostedEventFields;
export type StandardEventType = keyof StandardEventFields;
export type HostedEventType = keyof HostedEventFields;
export type KnownEventType = StandardEventType | HostedEventType;

/** The event of a given name. */
export type EventOf<K extends KnownEventType> = { type: K; sequence_number: number } & KnownEventFields[K];

export type StandardEvent = { [K in StandardEventType]: EventOf<K> }[StandardEventType];
export type HostedEvent = { [K in HostedEventType]: EventOf<K> }[HostedEventType];

/** An event of somebody's own making; safe to ignore. */
export interface ExtensionEvent {
  type: `${string}:${string}`;
  sequence_number: number;
  [field: string]: unknown;
}

/** Part of a stream that a relay passes on unread. */
export interface WireEvent {
  type: "antiphon:wire";
  /** The number of its last frame; its frames are numbered without a gap. On wires without numbers it says nothing. */
  sequence_number: number;
  /** How many frames it holds, on wires with numbers. */
  frames?: number;
  /** Whether it tells no more than that the response has begun (`response.created`, `response.in_progress`): a frame of its own. */
  opens?: boolean;
  /** Whole frames as the server sent them, with line feeds only (`event: …\ndata: …\n\n`), or the whole body of a plain answer. */
  bytes: Uint8Array;
  /** The same as text, decoded when it is asked for. */
  readonly text: string;
}

/** The events that carry a piece of a text. */
export type PieceEvent = Extract<StandardEvent, { type: `${string}.delta` }>;

/** Pieces of one text that came together, as one event: only who asks for runs is told any. */
export interface RunEvent {
  type: "antiphon:run";
  /** The number of its last piece; its pieces are numbered without a gap. */
  sequence_number: number;
  /** The event of the first piece, maybe without its text; the others differ from it in their number and their text. */
  first: PieceEvent;
  /** The texts of all pieces, the first included. */
  readonly deltas: readonly string[];
  /** How many characters they have, about. */
  readonly size: number;
}

/** Anything that a stream may carry. */
export type ResponseEvent = StandardEvent | HostedEvent | ExtensionEvent | WireEvent | RunEvent;

/** The three events of which one ends every stream. */
export type TerminalEvent = EventOf<"response.completed" | "response.incomplete" | "response.failed">;
