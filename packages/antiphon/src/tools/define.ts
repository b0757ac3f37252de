import { AntiphonError } from "../core/error.ts";
import {
  anything,
  anyText,
  checkOptions,
  either,
  func,
  milliseconds,
  nullable,
  object,
  yesOrNo,
  type Rules,
  butNot,
} from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { CustomTool, FunctionTool, JsonSchema } from "../model/index.ts";
import { toolDefinition, type ToolForm } from "./formats.ts";
import { argumentsReader } from "./read-arguments.ts";
import { isStandardSchema, jsonSchemaOf, type OutputOf, type StandardSchema } from "./standard-schema.ts";
import { strictForm, type StrictForm } from "./strict.ts";
import type { RunnableTool, ToolContext } from "./tool.ts";

/** What every tool may be told, beside its name and its input. */
export interface ToolOptions<Input, Context = unknown> {
  /** What it does, and when to use it: all that the model knows of it. */
  description?: string;
  /** Gives text, content parts (pictures, files) or any JSON value; a generator yields progress first. */
  run: (input: Input, context: ToolContext<Context>) => unknown;
  /** Whether somebody must agree to a call before it runs. */
  approval?: boolean | ((input: Input, context: ToolContext<Context>) => boolean | Promise<boolean>);
  /** Milliseconds after which a call is given up. */
  timeout?: number;
  /** Running it twice does no harm. */
  idempotent?: boolean;
}

/** What a tool with arguments may be told. */
export interface FunctionToolOptions<Input, Context = unknown> extends ToolOptions<Input, Context> {
  /** Left out: strict where the schema allows. True: an error where it does not. False: the schema is sent as it is. */
  strict?: boolean;
}

/** A tool whose input is described by a library's schema. */
export interface StandardToolOptions<Schema extends StandardSchema, Context = unknown> extends FunctionToolOptions<
  OutputOf<Schema>,
  Context
> {
  name: string;
  input: Schema;
  /** The JSON Schema of the input, where the library has no way to it. */
  parameters?: JsonSchema;
}

/** A tool whose input is described by JSON Schema. */
export interface JsonToolOptions<Input, Context = unknown> extends FunctionToolOptions<Input, Context> {
  name: string;
  input: JsonSchema;
}

/** A tool without input. */
export interface PlainToolOptions<Context = unknown> extends FunctionToolOptions<Record<string, never>, Context> {
  name: string;
  input?: undefined;
  definition?: undefined;
}

/** A tool that was declared elsewhere, in any form. What is given beside the definition goes before it. */
export interface DefinedToolOptions<Input, Context = unknown> extends FunctionToolOptions<Input, Context> {
  definition: ToolForm;
  name?: string;
}

const remedy = "Also pass its JSON Schema as `parameters`";
const noProperties: JsonSchema = { type: "object", properties: {} };
const closed: JsonSchema = { ...noProperties, additionalProperties: false };

/**
 * Defines a tool that the model can call and that runs in this program. Its input is described by a schema of any
 * Standard Schema library, by JSON Schema, or by a definition in the form of OpenAI, Anthropic or MCP; what the model
 * writes is checked against that.
 *
 * @example
 * const weather = tool({
 *   name: "weather",
 *   description: "Tells the weather in a city.",
 *   input: z.object({ city: z.string(), days: z.int().default(1) }),
 *   run: ({ city, days }) => `${city}: sunny for ${days} days`,
 * });
 */
export function tool<Schema extends StandardSchema, Context = unknown>(
  options: StandardToolOptions<Schema, Context>,
): RunnableTool<OutputOf<Schema>, Context>;
export function tool<Input = unknown, Context = unknown>(options: JsonToolOptions<Input, Context>): RunnableTool<Input, Context>;
export function tool<Input = unknown, Context = unknown>(
  options: DefinedToolOptions<Input, Context>,
): RunnableTool<Input, Context>;
export function tool<Context = unknown>(options: PlainToolOptions<Context>): RunnableTool<Record<string, never>, Context>;
export function tool<Input, Context>(options: AnyToolOptions<Input, Context>): RunnableTool<Input, Context> {
  checkOptions("tool", options, toolRules);
  const { name, description, input, strict } = declared(options);
  checkName(name);
  const isStandard = isStandardSchema(input);
  if (!isStandard && !isObject(input)) throw mistake(`\`input\` of the tool "${name}" must be a schema.`, "input");
  const schema = isStandard ? (options.parameters ?? jsonSchemaOf(input, `The input of the tool "${name}"`, remedy)) : input;
  // A library puts in its own defaults, which may be of another type than what it reads.
  const form = strictForm(isBare(schema) ? closed : schema, { strict, defaults: !isStandard });
  if (strict === true) checkStrict(name, form);
  const definition: FunctionTool = {
    type: "function",
    name,
    ...(description && { description }),
    parameters: form.schema,
    strict: form.strict,
  };
  // The schema vouches for the type of what it lets through.
  const read = argumentsReader(name, form, isStandard ? input : schema) as RunnableTool<Input>["read"];
  return runnable({ ...options, name }, definition, form.changes, read);
}

/** The four ways to define a tool, as one. */
interface AnyToolOptions<Input, Context> extends FunctionToolOptions<Input, Context> {
  name?: string;
  input?: StandardSchema | JsonSchema;
  parameters?: JsonSchema;
  definition?: ToolForm;
}

const sharedRules: Rules<ToolOptions<never>> = {
  description: nullable(anyText),
  run: func,
  approval: either("be true, false or a function", yesOrNo, func),
  timeout: milliseconds,
  idempotent: yesOrNo,
};

type ToolOption =
  | keyof StandardToolOptions<StandardSchema>
  | keyof JsonToolOptions<never>
  | keyof PlainToolOptions
  | keyof DefinedToolOptions<never>;

const toolRules: Rules<Partial<Record<ToolOption, unknown>>> = {
  ...sharedRules,
  // The names and the schema are checked in detail afterwards.
  name: anything,
  input: anything,
  parameters: object,
  definition: object,
  strict: yesOrNo,
};

const customToolRules: Rules<CustomToolOptions> = { ...sharedRules, name: anything, format: object };

interface Declared {
  name: string;
  description: string | null | undefined;
  input: StandardSchema | JsonSchema;
  strict: boolean | undefined;
}

function declared({ definition, name, description, input, strict }: Omit<AnyToolOptions<never, never>, "run">): Declared {
  const found: Partial<FunctionTool> = definition ? toolDefinition(definition) : {};
  return {
    name: name ?? found.name ?? "",
    description: description ?? found.description,
    input: input ?? found.parameters ?? noProperties,
    // A foreign definition that says `strict: true` is in strict form already.
    strict: strict ?? (found.strict === false ? false : undefined),
  };
}

/** Whether a schema names nothing: for a tool's arguments, that means that there are none. */
const isBare = ({ $schema: _, title: __, description: ___, type, properties, ...rest }: JsonSchema): boolean =>
  (type ?? "object") === "object" &&
  Object.keys(properties ?? {}).length === 0 &&
  Object.keys(rest).every((key) => key === "required");

export const isToolName = (name: unknown): boolean => typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name);

function checkName(name: unknown): void {
  if (isToolName(name)) return;
  const given = typeof name === "string" ? `, unlike ${JSON.stringify(name.slice(0, 80))}` : butNot(name);
  throw mistake(`A tool name must have 1 to 64 letters, digits, "_" or "-"${given}.`, "name");
}

const mistake = (message: string, param: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param });

function checkStrict(name: string, { strict, changes }: StrictForm): void {
  if (strict) return;
  const reasons = changes.filter(({ rule }) => rule === "not-strict").map(({ path, reason }) => `${path || "/"}: ${reason}`);
  throw new AntiphonError("INVALID_SCHEMA", `The input of the tool "${name}" cannot be strict.\n${reasons.join("\n")}`, {
    param: "input",
  });
}

function runnable<Input, Context>(
  { name, run, approval, timeout, idempotent }: ToolOptions<Input, Context> & { name: string },
  definition: FunctionTool | CustomTool,
  changes: RunnableTool["changes"],
  read: RunnableTool<Input>["read"],
): RunnableTool<Input, Context> {
  if (typeof run !== "function") throw mistake(`The tool "${name}" has no function \`run\`.`, "run");
  const needsApproval = typeof approval === "function" ? approval : () => true;
  return {
    name,
    definition,
    changes,
    read,
    run,
    ...(approval && { needsApproval }),
    ...(timeout !== undefined && { timeout }),
    ...(idempotent !== undefined && { idempotent }),
  };
}

/** A tool whose input is free text, perhaps bound by a grammar. */
export interface CustomToolOptions<Context = unknown> extends ToolOptions<string, Context> {
  name: string;
  format?: CustomTool["format"];
}

/**
 * Defines a tool whose input is free text, such as a query, a patch or a program.
 *
 * @example
 * const query = customTool({ name: "sql", description: "Asks the database.", run: (text) => database.ask(text) });
 */
export function customTool<Context = unknown>(options: CustomToolOptions<Context>): RunnableTool<string, Context> {
  checkOptions("customTool", options, customToolRules);
  const { name, description, format } = options;
  checkName(name);
  const definition: CustomTool = { type: "custom", name, ...(description && { description }), ...(format && { format }) };
  return runnable(options, definition, [], (written) => (typeof written === "string" ? written : JSON.stringify(written)));
}
