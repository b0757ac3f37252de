import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { InputContent, InputItem, Item, MessageContent, OutputText, ReasoningConfig } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { toDataUrl } from "../shared/media.ts";
import { toBase64 } from "./base64.ts";
import { fromWireId } from "./call-ids.ts";
import { decodeResponse } from "./decode-response.ts";
import type { MessagesDialect } from "./dialect.ts";
import { extensionType, isBlock, objectIn, prefixed, stringIn, withExtra, type Block } from "./extension.ts";
import { restoreReasoning } from "./foreign-reasoning.ts";

const refuse = (param: string, expected: string): never => {
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
};

function blocksOf(content: unknown, param: string): Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return refuse(param, "a string or a list of blocks");
  return content.map((block, index) => (isBlock(block) ? block : refuse(`${param}[${index}]`, "a block with a type")));
}

/** The system's words: the first block is the instructions, the others, and any that carries a mark, are messages. */
export function decodeSystem(system: unknown): { instructions?: string; items: InputItem[] } {
  if (system === undefined || system === null) return { items: [] };
  const blocks = blocksOf(system, "system").filter(({ text }) => text !== "");
  const plain = blocks[0] && !blocks[0]["cache_control"] ? stringIn(blocks[0]["text"]) : undefined;
  const rest = plain === undefined ? blocks : blocks.slice(1);
  const items = rest.map((block): InputItem => ({ type: "message", role: "system", content: [textPart(block)] }));
  return { ...(plain !== undefined && { instructions: plain }), items };
}

const textPart = (block: Block) => ({
  type: "input_text" as const,
  text: stringIn(block["text"]) ?? "",
  ...withExtra("cache_control", block["cache_control"]),
});

/** The conversation as items. */
export function decodeMessages(
  messages: readonly unknown[],
  reasoning: ReasoningConfig | undefined,
  dialect: MessagesDialect,
): InputItem[] {
  return messages.flatMap((message, index): InputItem[] => {
    const param = `messages[${index}]`;
    if (!isObject(message)) return refuse(param, "an object");
    const { role, content } = message;
    const blocks = blocksOf(content, `${param}.content`);
    if (role === "assistant") return assistantItems(blocks, reasoning, dialect);
    if (role === "user") return userItems(content, blocks);
    if (role === "system") return [{ type: "message", role, content: blocks.map(textPart) }];
    return refuse(`${param}.role`, "`user` or `assistant`");
  });
}

function userItems(content: unknown, blocks: readonly Block[]): InputItem[] {
  if (typeof content === "string") return [{ type: "message", role: "user", content }];
  const items: InputItem[] = [];
  let parts: InputContent[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: "message", role: "user", content: parts });
    parts = [];
  };
  for (const block of blocks) {
    if (block.type === "tool_result") {
      flush();
      items.push(toolOutput(block));
    } else parts.push(toPart(block));
  }
  flush();
  return items;
}

function toolOutput(block: Block): InputItem {
  const { type: _, tool_use_id, content, is_error, ...rest } = block;
  if (typeof tool_use_id !== "string") return refuse("tool_use_id", "a string");
  const output =
    content === undefined || content === null
      ? ""
      : typeof content === "string"
        ? content
        : blocksOf(content, "content").map(toPart);
  return {
    type: "function_call_output",
    call_id: fromWireId(tool_use_id),
    output,
    ...(is_error === true && { status: "incomplete" as const }),
    ...prefixed(rest),
  };
}

/** A user's or a tool's block as a part; one that the vocabulary has no part for keeps its fields under the wire's type. */
function toPart(block: Block): InputContent {
  const { type, cache_control, ...rest } = block;
  const mark = withExtra("cache_control", cache_control);
  if (type === "text" && rest["citations"] === undefined) return textPart(block);
  const source = objectIn(rest["source"]);
  if (type === "image") {
    const image = imagePart(source);
    if (image) return { ...image, ...mark };
  }
  if (type === "document") {
    const file = filePart(source);
    const { source: _, title, ...own } = rest;
    const named = typeof title === "string" ? { filename: title } : {};
    if (file) return { type: "input_file", ...named, ...file, ...prefixed(own), ...mark };
  }
  // A part of the wire's own making, which the vocabulary's list does not name.
  return { type: extensionType(type), ...rest, ...mark } as unknown as InputContent;
}

function imagePart({ type, media_type, data, url, file_id }: JsonObject): InputContent | undefined {
  if (type === "url" && typeof url === "string") return { type: "input_image", image_url: url };
  if (type === "file" && typeof file_id === "string") return { type: "input_image", file_id };
  if (type !== "base64" || typeof data !== "string") return undefined;
  return { type: "input_image", image_url: toDataUrl({ mediaType: stringIn(media_type) ?? "application/octet-stream", data }) };
}

function filePart({
  type,
  media_type,
  data,
  url,
  file_id,
}: JsonObject): { file_url: string } | { file_id: string } | { file_data: string } | undefined {
  if (type === "url" && typeof url === "string") return { file_url: url };
  if (type === "file" && typeof file_id === "string") return { file_id };
  if (typeof data !== "string") return undefined;
  const mediaType = stringIn(media_type) ?? "text/plain";
  if (type === "text") return { file_data: toDataUrl({ mediaType, data: toBase64(data) }) };
  return type === "base64" ? { file_data: toDataUrl({ mediaType, data }) } : undefined;
}

/** An earlier answer is read as a new one would be, less the ids that only an answer has. */
function assistantItems(blocks: Block[], reasoning: ReasoningConfig | undefined, dialect: MessagesDialect): InputItem[] {
  let ids = 0;
  const ctx: Ctx = { request: { reasoning }, newId: (prefix) => `${prefix}_${++ids}`, now: () => 0 };
  return decodeResponse(ctx, { content: blocks }, dialect).output.map(asInput);
}

function asInput(item: Item): InputItem {
  if (item.type === "message") return { type: "message", role: "assistant", content: item.content.map(spoken) };
  if (item.type === "reasoning") {
    const { id: _, status: __, ...rest } = item;
    return restoreReasoning(rest);
  }
  if (item.type === "function_call") {
    const { type, call_id, name, arguments: json, ...rest } = item;
    return { type, call_id, name, arguments: json, ...withoutIdentity(rest) };
  }
  return item;
}

const withoutIdentity = ({ id: _, status: __, ...rest }: { id: string; status: string }): object => rest;

// An answer that is read from blocks holds texts alone: the wire's history has no refusals.
const spoken = (part: MessageContent): OutputText => {
  const { text = "", annotations = [] } = part as Partial<OutputText>;
  return { type: "output_text", text, annotations };
};
