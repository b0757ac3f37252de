import type { InputItem } from "antiphon";
import type { Log } from "antiphon/conversation";

/** Something that somebody said. */
type Message = Extract<InputItem, { role: string }>;

/** Whether somebody said it. */
export const isMessage = (item: InputItem): item is Message => "role" in item;

/** The words of a message. */
export function textOf(message: Message | undefined): string {
  const content: unknown = message?.content;
  if (typeof content === "string") return content;
  const parts: readonly { type: string; text?: string; refusal?: string }[] = Array.isArray(content) ? content : [];
  return parts.map(({ type, text, refusal }) => text ?? refusal ?? `[${type}]`).join("\n\n");
}

/** A conversation as people read it. */
export const markdownOf = (log: Log): string => `${log.items.flatMap((item) => section(item) ?? []).join("\n\n")}\n`;

const headings: Readonly<Record<string, string>> = { user: "You", assistant: "Model", system: "System", developer: "Developer" };

/** What a reader of the conversation wants to see of an item. */
function section(item: InputItem): string | undefined {
  if (isMessage(item)) return `## ${headings[item.role] ?? item.role}\n\n${textOf(item)}`;
  if (item.type === "function_call") return `> → ${item.name} ${item.arguments}`;
  if (item.type === "function_call_output") return `> ← ${quoted(item.output)}`;
  return undefined;
}

const quoted = (output: unknown): string =>
  (typeof output === "string" ? output : (JSON.stringify(output) ?? "")).replaceAll("\n", "\n> ");
