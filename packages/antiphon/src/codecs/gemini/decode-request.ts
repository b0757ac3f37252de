import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import { decodeConfig } from "./decode-config.ts";
import { ContentsReader } from "./decode-contents.ts";
import { checkChoice, decodeChoice, decodeTools } from "./decode-tools.ts";
import type { GeminiDialect } from "./dialect.ts";
import { withExtra } from "./extension.ts";
import { camelFields } from "./lenient.ts";
import { fromWireTier } from "./usage.ts";
import { objectsIn, stringIn, textIn } from "./wire.ts";

/**
 * Reads the body of a generateContent request, with the `model` and `stream` that a router took from its URL. What the common
 * vocabulary has no words for is kept under `google:…`, for upstreams of this wire.
 */
export function decodeRequest(body: unknown, dialect: GeminiDialect): CreateResponse {
  if (!isObject(body)) throw new AntiphonError("BAD_REQUEST", "The body must be a JSON object.");
  const { model, stream, contents, systemInstruction, tools, toolConfig, generationConfig, serviceTier, ...rest } =
    camelFields(body);
  if (contents === undefined || contents === null || (Array.isArray(contents) && contents.length === 0))
    throw new AntiphonError("BAD_REQUEST", "`contents` must not be empty.", { param: "contents" });
  const instructions = systemText(systemInstruction);
  const { request: config, rest: otherConfig } = decodeConfig(generationConfig, dialect);
  const { choice, rest: otherChoice } = decodeChoice(toolConfig);
  const declared = decodeTools(tools);
  const tier = textIn(serviceTier);
  const request: CreateResponse = {
    ...(textIn(model) !== undefined && { model: textIn(model)!.replace(/^models\//, "") }),
    ...(typeof stream === "boolean" && { stream }),
    input: new ContentsReader().read(contents),
    ...(instructions && { instructions }),
    ...(declared.length > 0 && { tools: declared }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...config,
    ...(tier !== undefined && { service_tier: fromWireTier(tier) }),
    ...ownFields({ ...rest, generationConfig: otherConfig, toolConfig: otherChoice }),
  };
  checkChoice(request);
  return request;
}

/** A system instruction's text: a string, one content, or the parts alone. */
function systemText(instruction: unknown): string {
  if (typeof instruction === "string") return instruction;
  const parts = isObject(instruction) && instruction["parts"] !== undefined ? instruction["parts"] : instruction;
  return objectsIn(parts)
    .map((part) => stringIn(part["text"]) ?? "")
    .filter(Boolean)
    .join("\n\n");
}

function ownFields(fields: JsonObject): JsonObject {
  const own: JsonObject = {};
  for (const [name, value] of Object.entries(fields))
    if (!isObject(value) || Object.keys(value).length > 0) Object.assign(own, withExtra(name, value));
  return own;
}
