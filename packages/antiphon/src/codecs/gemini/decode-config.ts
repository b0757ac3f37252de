import { AntiphonError } from "../../core/error.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, ReasoningConfig, TextFormat } from "../../model/index.ts";
import type { GeminiDialect } from "./dialect.ts";
import { effortOf } from "./encode-config.ts";
import { camelFields } from "./lenient.ts";
import { fromOpenApi } from "./openapi-schema.ts";
import { objectIn, stringIn } from "./wire.ts";

/** What a configuration asks for, in our words, and what of it we have no words for. */
export interface DecodedConfig {
  request: CreateResponse;
  rest: JsonObject;
}

type NumberField =
  | "temperature"
  | "top_p"
  | "max_output_tokens"
  | "seed"
  | "presence_penalty"
  | "frequency_penalty"
  | "top_logprobs";

const numbers: readonly (readonly [string, NumberField])[] = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
  ["maxOutputTokens", "max_output_tokens"],
  ["seed", "seed"],
  ["presencePenalty", "presence_penalty"],
  ["frequencyPenalty", "frequency_penalty"],
  ["logprobs", "top_logprobs"],
];

const refuse = (name: string, expected: string): never => {
  const param = `generationConfig.${name}`;
  throw new AntiphonError("BAD_REQUEST", `\`${param}\` must be ${expected}.`, { param });
};

/** Reads how the answer is to be made. */
export function decodeConfig(config: unknown, { budgets }: GeminiDialect): DecodedConfig {
  if (config !== undefined && config !== null && !isObject(config))
    throw new AntiphonError("BAD_REQUEST", "`generationConfig` must be an object.", { param: "generationConfig" });
  const { stopSequences, responseLogprobs, candidateCount, ...rest } = camelFields(objectIn(config));
  const request: CreateResponse = {};
  for (const [theirs, ours] of numbers) {
    const value = rest[theirs];
    delete rest[theirs];
    if (value === undefined || value === null) continue;
    request[ours] = typeof value === "number" ? value : refuse(theirs, "a number");
  }
  if (candidateCount !== undefined && candidateCount !== null && candidateCount !== 1) refuse("candidateCount", "1");
  if (Array.isArray(stopSequences)) request.stop = stopSequences.map(String);
  if (responseLogprobs === true) request.include = ["message.output_text.logprobs"];
  const format = takeFormat(rest);
  if (format) request.text = { format };
  const reasoning = takeReasoning(rest, budgets);
  if (reasoning) request.reasoning = reasoning;
  return { request, rest };
}

/** Takes the answer's form out of what is left of a configuration. */
function takeFormat(rest: JsonObject): TextFormat | undefined {
  const { responseMimeType, responseJsonSchema, responseSchema } = rest;
  if (responseMimeType !== "application/json") {
    if (responseMimeType === "text/plain") delete rest["responseMimeType"];
    return undefined;
  }
  for (const name of ["responseMimeType", "responseJsonSchema", "responseSchema"]) delete rest[name];
  const schema = isObject(responseJsonSchema)
    ? responseJsonSchema
    : isObject(responseSchema)
      ? fromOpenApi(responseSchema)
      : undefined;
  if (!schema) return { type: "json_object" };
  const title = stringIn(schema["title"]);
  if (title === undefined || !/^[\w-]{1,64}$/.test(title)) return { type: "json_schema", schema, strict: true };
  const { title: _, ...untitled } = schema;
  return { type: "json_schema", name: title, schema: untitled, strict: true };
}

const levels: Readonly<Record<string, ReasoningConfig["effort"]>> = {
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
};

/** Takes out what thinking is asked for; a budget that is no effort of ours stays, with the nearest effort beside it. */
function takeReasoning(rest: JsonObject, budgets: GeminiDialect["budgets"]): ReasoningConfig | undefined {
  if (!isObject(rest["thinkingConfig"])) return undefined;
  const { thinkingLevel, thinkingBudget, includeThoughts, ...more } = camelFields(rest["thinkingConfig"]);
  const level = own(levels, String(thinkingLevel).toLowerCase());
  const exact = typeof thinkingBudget === "number" ? effortOf(thinkingBudget, budgets) : undefined;
  const effort = level ?? exact ?? (typeof thinkingBudget === "number" ? nearest(thinkingBudget, budgets) : undefined);
  if (thinkingBudget !== undefined && exact === undefined) more["thinkingBudget"] = thinkingBudget;
  if (Object.keys(more).length > 0) rest["thinkingConfig"] = more;
  else delete rest["thinkingConfig"];
  return effort || includeThoughts === true
    ? { ...(effort && { effort }), ...(includeThoughts === true && { summary: "auto" as const }) }
    : undefined;
}

/** The smallest effort that gives as many tokens; a negative budget leaves it to the model. */
function nearest(budget: number, budgets: GeminiDialect["budgets"]): ReasoningConfig["effort"] {
  if (budget < 0) return undefined;
  return (["low", "medium", "high"] as const).find((effort) => budgets[effort] >= budget) ?? "high";
}
