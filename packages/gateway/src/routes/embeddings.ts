import { abortSignal, AntiphonError } from "antiphon";
import type { Context } from "../context.ts";
import { json, type Routes } from "../http/exchange.ts";
import type { Face } from "../http/faces.ts";
import { readJson } from "../http/read-json.ts";
import type { EmbedRequest } from "../models/models.ts";
import { upstreamHeaders } from "../security/upstream-headers.ts";
import { guarded } from "./guarded.ts";
import { metered } from "./metered.ts";

const mostTexts = 2048;
const mostDimensions = 65_536;

/** Vectors for texts, as OpenAI's clients ask for them. */
export const embeddings = (context: Context, face: Face, prefix: string): Routes => ({
  [`POST ${prefix}/embeddings`]: guarded(context, face, async (exchange, _, caller) => {
    const { models, gatekeeper, limits, newId } = context;
    const body = await readJson(exchange, limits.maxBodyBytes);
    const texts = textsIn(body["input"]);
    const encode = encodings.get(body["encoding_format"] ?? "float");
    if (!encode) throw bad("encoding_format", "`float` or `base64`");
    const { dimensions, user, model } = body;
    if (dimensions !== undefined && !isCount(dimensions)) throw bad("dimensions", `a whole number up to ${mostDimensions}`);
    const route = models.resolveEmbeddings(typeof model === "string" ? model : null, (name) => gatekeeper.allows(caller, name));
    const admission = await gatekeeper.admit(caller, route.name);
    const asked: EmbedRequest = {
      ...(isCount(dimensions) ? { dimensions } : {}),
      ...(typeof user === "string" ? { user } : {}),
      headers: upstreamHeaders(exchange.headers, context.passedOn),
      signal: abortSignal(exchange.signal),
    };
    const question = { id: newId("emb"), route, admission, owner: caller.owner, requestId: exchange.requestId };
    const { vectors, usage } = await metered(context, question, () => route.embed(texts, asked));
    const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: encode(vector) }));
    const took = { prompt_tokens: usage.input_tokens, total_tokens: usage.input_tokens };
    return json(200, { object: "list", data, model: route.name, usage: took }, admission.headers);
  }),
});

const bad = (param: string, expected: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= mostDimensions;

function textsIn(input: unknown): string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  const fits = texts.length > 0 && texts.length <= mostTexts && texts.every((text) => typeof text === "string" && text !== "");
  // Lists of tokens say nothing to models with another tokenizer.
  if (!fits) throw bad("input", `a text, or a list of up to ${mostTexts} texts`);
  return texts as string[];
}

type Encode = (vector: Float32Array) => number[] | string;

const encodings: ReadonlyMap<unknown, Encode> = new Map<unknown, Encode>([
  ["float", (vector) => Array.from(vector)],
  ["base64", ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64")],
]);
