import type { CreateResponse, JsonSchema, TextFormat } from "../../model/index.ts";
import { traitsOf, type MessagesDialect } from "./dialect.ts";
import { toolNames } from "./tool-names.ts";

type JsonSchemaFormat = Extract<TextFormat, { type: "json_schema" }>;

/** The schema that the answer's text must follow, if the request has one. */
export function schemaFormat({ text }: CreateResponse): (JsonSchemaFormat & { schema: JsonSchema }) | undefined {
  const format = text?.format;
  return format?.type === "json_schema" && format.schema ? { ...format, schema: format.schema } : undefined;
}

/** A tool by whose arguments the model answers, where it cannot be bound to a schema. */
export interface AnswerTool {
  name: string;
  description: string;
  schema: JsonSchema;
}

const words = "Call this tool once to give your final answer. Write nothing after it.";

/**
 * The tool that stands in for typed output, if the model needs one. It is made from the request alone, so that the encoder and
 * the decoder of one exchange agree on its name.
 */
export function answerTool(request: CreateResponse, dialect: MessagesDialect): AnswerTool | undefined {
  const format = schemaFormat(request);
  if (!format || traitsOf(request.model, dialect).typedOutput !== "tool") return undefined;
  const taken = new Set(toolNames(request).declared.map(({ wireName }) => wireName));
  let name = "final_answer";
  while (taken.has(name)) name += "_";
  return { name, description: format.description ? `${format.description}\n\n${words}` : words, schema: format.schema };
}
