import { fromOpenApi } from "../../../src/codecs/gemini/openapi-schema.ts";
import { isObject, type JsonObject } from "../../../src/model/guards.ts";

const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value : [value]).filter(isObject);

/** Objects whose keys are the caller's own, not fields of the wire. */
const data: ReadonlySet<string> = new Set(["args", "response", "headers", "labels"]);
const schemas: ReadonlySet<string> = new Set(["parameters", "parametersJsonSchema", "responseSchema", "responseJsonSchema"]);
const schemaNames: Readonly<Record<string, string>> = {
  parameters: "parametersJsonSchema",
  responseSchema: "responseJsonSchema",
};

/** Fields in the wire's usual spelling, schemas in one language, nothing empty. */
function normal(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((one) => normal(one));
  if (!isObject(value) || data.has(name)) return value;
  const fields = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const field = camel(key);
    return schemas.has(field) ? [schemaNames[field] ?? field, lowered(inner)] : [field, normal(inner, field)];
  });
  return Object.fromEntries(
    fields.filter(
      ([key, inner]) =>
        inner !== null && !(isEmpty(inner) && !/^(googleSearch|codeExecution|urlContext|parameters.*)$/.test(key)),
    ),
  );
}

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
const lowered = (schema: unknown): unknown => (isObject(schema) ? fromOpenApi(schema) : schema);

interface Turn {
  role: unknown;
  parts: JsonObject[];
}

/**
 * A request's body as it would be if every client wrote it alike: fields in one spelling, schemas in one language, lists where lone
 * values may stand, one tool for all functions, turns of one role together, nothing that is empty or the default.
 */
export function normalBody(body: JsonObject): unknown {
  const { model: _, stream: __, contents, systemInstruction, tools, generationConfig, ...rest } = normal(body) as JsonObject;
  const config = isObject(generationConfig)
    ? { ...generationConfig, candidateCount: undefined, responseMimeType: undefined }
    : {};
  return JSON.parse(
    JSON.stringify({
      ...rest,
      system: texts(isObject(systemInstruction) ? systemInstruction["parts"] : []),
      contents: merged(list(contents).map(({ role = "user", parts }) => ({ role, parts: list(parts).map(bare) }))),
      tools: oneFunctionTool(list(tools)),
      generationConfig: config,
    }),
  ) as unknown;
}

const texts = (parts: unknown): string =>
  list(parts)
    .map(({ text }) => text)
    .filter(Boolean)
    .join("\n\n");

/** A part without the ids that are made where a client gives none. */
function bare(part: JsonObject): JsonObject {
  const strip = (value: unknown): unknown => (isObject(value) ? { ...value, id: undefined } : value);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, strip(value)]));
}

function merged(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  for (const turn of turns.filter(({ parts }) => parts.length > 0)) {
    const last = out.at(-1);
    if (last && last.role === turn.role) last.parts.push(...turn.parts);
    else out.push({ ...turn, parts: [...turn.parts] });
  }
  return out;
}

function oneFunctionTool(tools: readonly JsonObject[]): unknown[] {
  const functions = tools
    .flatMap(({ functionDeclarations }) => list(functionDeclarations ?? []))
    .map((one) => ({ parametersJsonSchema: { type: "object", properties: {} }, ...one }));
  const others = tools.map(({ functionDeclarations: _, ...rest }) => rest).filter((tool) => !isEmpty(tool));
  return functions.length > 0 ? [...others, { functionDeclarations: functions }] : others;
}
