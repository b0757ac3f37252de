import type { Ctx } from "../../../src/codecs/codec.ts";
import { geminiRoute, geminiServer } from "../../../src/codecs/gemini/index.ts";
import { isObject } from "../../../src/model/guards.ts";
import { testCtx } from "../../support/ctx.ts";
import { recordings, type Recording } from "../../support/recordings.ts";

/** Paths of recorded exchanges that are not of this endpoint, each with the reason. */
const others: readonly (readonly [RegExp, string])[] = [
  [/:(batchEmbedContents|embedContent)\b/, "Embeddings."],
  [/:countTokens\b/, "Counting tokens."],
  [/\/cachedContents(\/|$)/, "Making and reading caches."],
  [/\/models(\?|$)/, "Listing models."],
];

/** The same for exchanges that were recorded without a URL. */
export const otherIds: readonly (readonly [RegExp, string])[] = [
  [/^gemini\/prism--(multimodal-)?embeddings-/, "Embeddings."],
  [/^gemini\/prism--create-cache-/, "Making caches."],
];

/** All recorded exchanges with generateContent. `gemini-interactions` is another API of Google's, with a wire of its own. */
export const geminiRecordings = (): Recording[] =>
  recordings("gemini").filter(
    (recording) =>
      recording.provider !== "gemini-interactions" &&
      !otherIds.some(([id]) => id.test(recording.id)) &&
      !others.some(([path]) => path.test(recording.meta().url ?? "")),
  );

/** A recorded request's body, with what its URL tells. */
export function bodyOf(recording: Recording): Record<string, unknown> | undefined {
  const body = recording.request();
  if (!isObject(body)) return undefined;
  return { model: "gemini-2.5-flash", stream: recording.stream, ...body, ...geminiRoute(recording.meta().url ?? "") };
}

const server = geminiServer();

/** A context with the request that a recording answers, where it was recorded. */
export function ctxOf(recording: Recording): Ctx {
  const body = bodyOf(recording);
  return testCtx(body ? server.decodeRequest(body) : { model: "gemini-2.5-flash", input: "Hello" });
}
