import type { InputContent, MessageContent, OutputText, ReasoningText, Refusal, InputText, SummaryText } from "./content.ts";
import type { HostedInputItem, HostedItem } from "./hosted-items.ts";

/** Where an item is in its life; both later states are final. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** Who speaks. */
export type Role = "user" | "assistant" | "system" | "developer";

/** Whether an assistant message is thinking aloud or the answer itself. */
export type Phase = "commentary" | "final_answer";

/** A message, as a response holds it. */
export interface Message {
  type: "message";
  id: string;
  status: ItemStatus;
  role: Role;
  content: MessageContent[];
  phase?: Phase | null;
}

/** A call of one of the caller's functions; results answer its `call_id`, not its `id`. */
export interface FunctionCall {
  type: "function_call";
  id: string;
  call_id: string;
  name: string;
  /** JSON text, as the model wrote it: it may be broken or cut off. */
  arguments: string;
  status: ItemStatus;
  /** The namespace that the tool was declared in. */
  namespace?: string;
}

/** What a function gave back. */
export interface FunctionCallOutput {
  type: "function_call_output";
  id: string;
  call_id: string;
  output: string | InputContent[];
  status: ItemStatus;
}

/** What the model thought: a summary, the raw text, or a blob that only its maker can read. */
export interface Reasoning {
  type: "reasoning";
  id: string;
  summary: SummaryText[];
  content?: ReasoningText[] | null;
  encrypted_content?: string | null;
  status?: ItemStatus | null;
}

/** A compressed stretch of conversation that only its maker can read. */
export interface Compaction {
  type: "compaction";
  id: string;
  encrypted_content: string;
  created_by?: string;
  status?: ItemStatus;
}

/** The items that the specification defines. */
export type StandardItem = Message | FunctionCall | FunctionCallOutput | Reasoning | Compaction;

/** An item of somebody's own making; its type carries the maker's prefix. */
export interface ExtensionItem {
  type: `${string}:${string}`;
  id: string;
  status?: string;
  [field: string]: unknown;
}

/** Anything that a response's `output` may hold. */
export type Item = StandardItem | HostedItem | ExtensionItem;

/** A user message as a request may write it. */
export interface UserMessageParam {
  type?: "message";
  role: "user";
  content: string | InputContent[];
  id?: string | null;
  status?: ItemStatus | null;
}

/** A system or developer message as a request may write it. */
export interface SystemMessageParam {
  type?: "message";
  role: "system" | "developer";
  content: string | InputText[];
  id?: string | null;
  status?: ItemStatus | null;
}

/** An earlier assistant message as a request may write it. */
export interface AssistantMessageParam {
  type?: "message";
  role: "assistant";
  content: string | (OutputText | Omit<OutputText, "annotations"> | Refusal)[];
  id?: string | null;
  status?: ItemStatus | null;
  phase?: Phase | null;
}

/** Any message as a request may write it. */
export type MessageParam = UserMessageParam | SystemMessageParam | AssistantMessageParam;

type Loose<T extends { id: string; status?: unknown }> = Omit<T, "id" | "status"> & {
  id?: string | null;
  status?: T["status"] | null;
};

/** Reasoning as a request may send it back. */
export interface ReasoningParam {
  type: "reasoning";
  id?: string | null;
  summary: SummaryText[];
  content?: ReasoningText[] | null;
  encrypted_content?: string | null;
  status?: ItemStatus | null;
}

/** An item that the server already has. */
export interface ItemReference {
  type?: "item_reference" | null;
  id: string;
}

/** Anything that a request's `input` may hold: every output item fits. */
export type InputItem =
  | MessageParam
  | Loose<FunctionCall>
  | Loose<FunctionCallOutput>
  | ReasoningParam
  | Loose<Compaction>
  | ItemReference
  | HostedInputItem
  | Item;
