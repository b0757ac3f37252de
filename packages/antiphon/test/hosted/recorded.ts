import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { geminiCodec } from "../../src/codecs/gemini/index.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesCodec } from "../../src/codecs/responses/index.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { expand } from "../../src/core/expand.ts";
import { reduce } from "../../src/core/reduce.ts";
import type { Item, ResponseEvent } from "../../src/model/index.ts";
import { decodeBytes } from "../../src/testing/laws.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";

const codecs: readonly (readonly [RegExp, Codec])[] = [
  [/^anthropic/, messagesCodec()],
  [/^gemini(-vertex)?$/, geminiCodec()],
  [/^(openai-chat|chat-compatible-)/, chatCodec()],
  [/^(openai-responses|responses-compatible-|openresponses-)/, responsesCodec()],
];

/** What a recording says, read with its wire's codec. */
export interface Answer {
  id: string;
  stream: boolean;
  events: ResponseEvent[];
  output: Item[];
}

// Items that tell of no tool that a server runs. xAI tells searches on X by `custom_tool_call` items, which nothing tells apart from
// calls of the caller's own tools.
const plain: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "custom_tool_call",
  "compaction",
  "anthropic:fallback",
  "google:part",
  "google:media",
  "openai:audio",
  "some_future_type",
]);

export const isHosted = ({ type }: Item): boolean => !plain.has(type);

function decode(recording: Recording): ResponseEvent[] {
  const codec = codecs.find(([pattern]) => pattern.test(recording.provider))?.[1];
  if (!codec || recording.status >= 400) return [];
  try {
    if (recording.stream) return decodeBytes(codec, testCtx(), [recording.body()]);
    return expand(codec.decodeResponse(testCtx(), recording.json()));
  } catch (error) {
    // Recordings of other endpoints are no answers.
    if (error instanceof AntiphonError) return [];
    throw error;
  }
}

/** Every recorded answer that has something of a kind. */
export const answersWith = (wanted: (item: Item) => boolean): Answer[] =>
  recordings("").flatMap((recording) => {
    const events = decode(recording);
    const output = events.length > 0 ? reduce(events).output : [];
    return output.some(wanted) ? [{ id: recording.id, stream: recording.stream, events, output }] : [];
  });
