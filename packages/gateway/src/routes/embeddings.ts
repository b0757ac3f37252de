import { abortSignal } from "antiphon";
import type { Context } from "../context.ts";
import { json, withHeaders, type Routes } from "../http/exchange.ts";
import type { Face } from "../http/faces.ts";
import { lossHeaders } from "../http/losses.ts";
import type { EmbedRequest } from "../models/models.ts";
import { upstreamHeaders } from "../security/upstream-headers.ts";
import { guarded, type CallerHandler } from "./guarded.ts";
import { metered } from "./metered.ts";
import { bodyReader } from "./read-body.ts";

/** The fields of a body that matches `CreateEmbeddings`. */
interface EmbeddingsBody {
  model?: string | null;
  input: string | string[];
  dimensions?: number | null;
  encoding_format?: "float" | "base64" | null;
  user?: string | null;
}

/** Returns vectors for texts, in the form of OpenAI's API. */
export function embeddings(context: Context, face: Face, prefix: string): Routes {
  const { models, gatekeeper, newId } = context;
  const path = `POST ${prefix}/embeddings`;
  const read = bodyReader(context, path);
  const handler: CallerHandler = async (exchange, _, caller) => {
    const { body, unread } = await read(exchange);
    // The schema was checked.
    const { model, input, dimensions, encoding_format, user } = body as unknown as EmbeddingsBody;
    const route = models.resolveEmbeddings(model, (name) => gatekeeper.allows(caller, name));
    const admission = await gatekeeper.admit(caller, route.name);
    const asked: EmbedRequest = {
      ...(dimensions && { dimensions }),
      ...(typeof user === "string" && { user }),
      headers: upstreamHeaders(exchange.headers, context.passedOn),
      signal: abortSignal(exchange.signal),
    };
    const question = { id: newId("emb"), route, admission, owner: caller.owner, requestId: exchange.requestId };
    const texts = typeof input === "string" ? [input] : input;
    const { vectors, usage } = await metered(context, question, () => route.embed(texts, asked));
    const encode = encodings[encoding_format ?? "float"];
    const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: encode(vector) }));
    const took = { prompt_tokens: usage.input_tokens, total_tokens: usage.input_tokens };
    const answer = { object: "list", data, model: route.name, usage: took };
    return json(200, answer, withHeaders(admission.headers, lossHeaders(unread)));
  };
  return { [path]: guarded(context, face, handler) };
}

type Encode = (vector: Float32Array) => number[] | string;

const encodings: Readonly<Record<"float" | "base64", Encode>> = {
  float: (vector) => Array.from(vector),
  base64: ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
};
