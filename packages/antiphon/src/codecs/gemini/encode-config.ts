import type { Loss } from "../../core/loss.ts";
import { inBackticks } from "../../core/options.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, Include, ReasoningConfig, TextFormat } from "../../model/index.ts";
import { traitsOf, type GeminiDialect, type ModelTraits } from "./dialect.ts";
import { extras } from "./extension.ts";
import { toOpenApi } from "./openapi-schema.ts";
import { hasFunctions } from "./tool-set.ts";

/** Fields that go over as they are: ours, and the wire's name. */
const fields: readonly (readonly [keyof CreateResponse, string])[] = [
  ["temperature", "temperature"],
  ["top_p", "topP"],
  ["max_output_tokens", "maxOutputTokens"],
  ["seed", "seed"],
  ["presence_penalty", "presencePenalty"],
  ["frequency_penalty", "frequencyPenalty"],
  ["top_logprobs", "logprobs"],
];

/** What an answer always holds, or is asked for; the rest cannot be included. */
const included: ReadonlySet<Include> = new Set<Include>([
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
  "web_search_call.action.sources",
  "code_interpreter_call.outputs",
  "file_search_call.results",
]);

/** How the answer is to be made. */
export function encodeConfig(request: CreateResponse, dialect: GeminiDialect, pictures: boolean, losses: Loss[]): JsonObject {
  const traits = traitsOf(request.model, dialect);
  const config: JsonObject = {};
  for (const [ours, theirs] of fields) if (request[ours] != null) config[theirs] = request[ours];
  const stops = typeof request.stop === "string" ? [request.stop] : request.stop;
  if (stops?.length) config["stopSequences"] = stops;
  if (request.top_logprobs || request.include?.includes("message.output_text.logprobs")) config["responseLogprobs"] = true;
  request.include?.forEach((value, index) => {
    if (!included.has(value)) losses.push({ path: `include[${index}]`, reason: `The Gemini API cannot include \`${value}\`.` });
  });
  const format = encodeFormat(request, dialect, traits, losses);
  const thinkingConfig = encodeThinking(request, dialect, traits, losses);
  if (request.text?.verbosity) losses.push({ path: "text.verbosity", reason: "The Gemini API does not support `verbosity`." });
  return {
    ...config,
    ...format,
    ...(thinkingConfig && { thinkingConfig }),
    ...(pictures && { responseModalities: ["TEXT", "IMAGE"] }),
  };
}

type JsonSchemaFormat = Extract<TextFormat, { type: "json_schema" }>;

function encodeFormat(request: CreateResponse, dialect: GeminiDialect, traits: ModelTraits, losses: Loss[]): JsonObject {
  const format = request.text?.format;
  if (!format || format.type === "text") return {};
  const json = { responseMimeType: "application/json" };
  if (!traits.schemaBesideTools && hasFunctions(request)) {
    if (format.type === "json_object")
      losses.push({ path: "text.format", reason: "The model does not support JSON mode together with functions." });
    return {};
  }
  if (format.type === "json_object") return json;
  if (format.description)
    losses.push({ path: "text.format.description", reason: "The Gemini API does not support the description of a format." });
  return { ...json, ...schemaField(format, dialect, losses) };
}

/** The answer's schema. Its name, which the wire has no place for, is its title. */
function schemaField({ name, schema }: JsonSchemaFormat, dialect: GeminiDialect, losses: Loss[]): JsonObject {
  if (!schema) return {};
  if (name !== undefined && schema["title"] !== undefined && schema["title"] !== name)
    losses.push({
      path: "text.format.name",
      reason: "The Gemini API has no field for the name; the `title` of the schema was sent.",
    });
  const titled = name === undefined || schema["title"] !== undefined ? schema : { title: name, ...schema };
  if (dialect.schemas === "json-schema") return { responseJsonSchema: titled };
  const { schema: responseSchema, reworded } = toOpenApi(titled);
  if (reworded.length > 0)
    losses.push({
      path: "text.format.schema",
      reason: `The Gemini API does not support ${inBackticks(reworded)} in schemas; the descriptions state these rules.`,
    });
  return { responseSchema };
}

/** Whether the caller gave a budget in the API's own words. The server refuses a level beside it. */
function hasOwnBudget(request: CreateResponse): boolean {
  const { generationConfig } = extras(request);
  const own = isObject(generationConfig) ? generationConfig["thinkingConfig"] : undefined;
  return isObject(own) && own["thinkingBudget"] !== undefined;
}

function encodeThinking(
  request: CreateResponse,
  dialect: GeminiDialect,
  traits: ModelTraits,
  losses: Loss[],
): JsonObject | undefined {
  const { reasoning } = request;
  if (!reasoning?.effort && !reasoning?.summary) return undefined;
  if (traits.thinking === "none") {
    losses.push({ path: "reasoning", reason: "The model does not support reasoning." });
    return undefined;
  }
  const { summary } = reasoning;
  const effort = hasOwnBudget(request) ? undefined : reasoning.effort;
  if (summary === "concise" || summary === "detailed")
    losses.push({ path: "reasoning.summary", reason: "The Gemini API returns reasoning summaries in one length only." });
  return {
    ...(effort && (traits.thinking === "budget" ? budgetOf(effort, dialect, traits, losses) : levelOf(effort, traits, losses))),
    ...(summary && { includeThoughts: true }),
  };
}

type Effort = NonNullable<ReasoningConfig["effort"]>;

const inexact = (effort: Effort, sent: string): Loss => ({
  path: "reasoning.effort",
  reason: `The model does not support the effort "${effort}"; ${sent} was sent.`,
});

function budgetOf(effort: Effort, { budgets }: GeminiDialect, { leastBudget }: ModelTraits, losses: Loss[]): JsonObject {
  const thinkingBudget = Math.max(budgets[effort], leastBudget);
  const nearest = effortOf(thinkingBudget, budgets);
  if (nearest !== effort) losses.push(inexact(effort, `a budget of ${thinkingBudget} tokens`));
  return { thinkingBudget };
}

/** The effort that a budget of exactly so many tokens stands for. */
export const effortOf = (budget: number, budgets: GeminiDialect["budgets"]): Effort | undefined =>
  (["none", "low", "medium", "high", "minimal", "xhigh"] as const).find((effort) => budgets[effort] === budget);

const ranks: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** The level of an effort, or the next one up that the model has. */
function levelOf(effort: Effort, { levels }: ModelTraits, losses: Loss[]): JsonObject {
  const thinkingLevel = levels.find((level) => ranks.indexOf(level) >= ranks.indexOf(effort)) ?? levels.at(-1);
  if (thinkingLevel === undefined) return {};
  if (thinkingLevel !== effort) losses.push(inexact(effort, `the level "${thinkingLevel}"`));
  return { thinkingLevel };
}
