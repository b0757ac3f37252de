import { messagesCodec, messagesServer, type MessagesDialect } from "../../../src/codecs/messages/index.ts";
import type { EncodedRequest } from "../../../src/codecs/codec.ts";
import type { JsonObject } from "../../../src/model/guards.ts";
import type { CreateResponse, InputItem, Item, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { decodeValues } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";

/** One block of a message, read leniently: tests look into it. */
export interface Block extends JsonObject {
  type: string;
}

/** The body that an encoder made, read leniently. */
export interface Body extends JsonObject {
  messages: { role: string; content: Block[] }[];
  system?: Block[];
  tools?: JsonObject[];
}

/** A request of a model that neither thinks by default nor refuses anything that these tests send. */
export const model = "claude-sonnet-4-5";

/** Encodes a request. */
export function encode(
  request: CreateResponse,
  dialect: Partial<MessagesDialect> = {},
): Omit<EncodedRequest, "body"> & { body: Body } {
  const encoded = messagesCodec(dialect).encodeRequest(testCtx({ model, ...request }));
  // As it travels: what JSON leaves out is not there.
  return { ...encoded, body: JSON.parse(JSON.stringify(encoded.body)) as Body };
}

/** The messages that an input becomes. */
export const messagesOf = (input: CreateResponse["input"], dialect: Partial<MessagesDialect> = {}): Body["messages"] =>
  encode({ input }, dialect).body.messages;

/** Where an encoder declared losses. */
export const lossesOf = (request: CreateResponse, dialect: Partial<MessagesDialect> = {}): string[] =>
  encode(request, dialect).losses.map(({ path }) => path);

/** Everything that a codec makes of a stream. */
export const events = (values: readonly unknown[], request: CreateResponse = { model }): ResponseEvent[] =>
  decodeValues(messagesCodec(), testCtx(request), values);

/** The response that a stream ends in. */
export function streamed(values: readonly unknown[], request: CreateResponse = { model }): ResponseResource {
  const last = events(values, request).at(-1);
  if (!last || !("response" in last)) throw new Error("The stream has no end.");
  return last.response as ResponseResource;
}

/** The response that a plain answer is. */
export const decoded = (message: object, request: CreateResponse = { model }): ResponseResource =>
  messagesCodec().decodeResponse(testCtx(request), { id: "msg_1", type: "message", role: "assistant", model, ...message });

/** The values of a stream that tells these blocks, each whole, and ends for a reason. */
export function streamOf(blocks: readonly Block[], stop_reason = "end_turn", usage: object = { output_tokens: 5 }): unknown[] {
  return [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [],
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
    ...blocks.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

/** What a server of the wire reads in a body. */
export const read = (body: object): CreateResponse =>
  messagesServer().decodeRequest({ model, max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...body });

/** The input items that a server reads in messages. */
export const itemsIn = (messages: readonly object[]): InputItem[] => read({ messages }).input as InputItem[];

/** What a server of the wire streams for these events. */
export function told(answer: readonly ResponseEvent[]): JsonObject[] {
  const encoder = messagesServer().createEncoder({});
  return [...answer.flatMap((event) => encoder.push(event)), ...encoder.end()] as JsonObject[];
}

/** An item without the fields that only an answer has. */
export const bare = ({ id: _, status: __, ...item }: Item): object => item;

/** A plain message put together from its stream, the way that clients of the wire do it. */
export function assemble(values: readonly unknown[]): JsonObject {
  let message: JsonObject = {};
  const blocks: Block[] = [];
  const json: string[] = [];
  for (const value of values as JsonObject[]) {
    const index = value["index"] as number;
    if (value["type"] === "message_start") message = { ...(value["message"] as JsonObject) };
    if (value["type"] === "content_block_start") blocks[index] = { ...(value["content_block"] as Block) };
    if (value["type"] === "content_block_delta") grow(blocks[index]!, value["delta"] as Block, json, index);
    if (value["type"] === "content_block_stop" && json[index]) blocks[index]!["input"] = JSON.parse(json[index]);
    if (value["type"] === "message_delta") {
      const usage = { ...(message["usage"] as object), ...(value["usage"] as object) };
      const { context_management } = value;
      message = { ...message, ...(value["delta"] as object), usage, ...(context_management ? { context_management } : {}) };
    }
    if (value["type"] === "message_stop") return { ...message, content: [...((message["content"] as []) ?? []), ...blocks] };
  }
  throw new Error("The stream has no end.");
}

function grow(block: Block, delta: Block, json: string[], index: number): void {
  const { type, ...fields } = delta;
  if (type === "input_json_delta") json[index] = (json[index] ?? "") + String(fields["partial_json"]);
  else if (type === "citations_delta") block["citations"] = [...((block["citations"] as []) ?? []), fields["citation"]];
  else if (type === "text_delta") block["text"] = String(block["text"]) + String(fields["text"]);
  else if (type === "thinking_delta") block["thinking"] = String(block["thinking"]) + String(fields["thinking"]);
  else Object.assign(block, fields);
}
