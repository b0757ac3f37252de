import { expand } from "../../core/expand.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { ResponseResource } from "../../model/index.ts";
import { ChunkEncoder } from "./encode-stream.ts";
import { objectIn, objectsIn } from "./wire.ts";

/** A response as one answer object: its chunks put together. */
export function encodeResponse(response: ResponseResource): unknown {
  const encoder = new ChunkEncoder({ tools: response.tools });
  const chunks = expand(response)
    .flatMap((event) => encoder.push(event))
    .filter(isObject);
  const last = chunks.at(-1) ?? {};
  if (last["error"] !== undefined) return last;
  const parts = chunks.flatMap(partsOf).filter(isTelling);
  const candidates = chunks.flatMap((chunk) => objectsIn(chunk["candidates"]));
  const pages = candidates.flatMap((one) => objectsIn(objectIn(one["urlContextMetadata"])["urlMetadata"]));
  const candidate = {
    ...candidates.at(-1),
    content: { parts, role: "model" },
    ...(pages.length > 0 && { urlContextMetadata: { urlMetadata: pages } }),
  };
  return { ...last, candidates: [candidate] };
}

const partsOf = (chunk: JsonObject): JsonObject[] =>
  objectsIn(chunk["candidates"]).flatMap((candidate) => objectsIn(objectIn(candidate["content"])["parts"]));

const isTelling = (part: JsonObject): boolean => part["text"] !== "" || part["thoughtSignature"] !== undefined;
