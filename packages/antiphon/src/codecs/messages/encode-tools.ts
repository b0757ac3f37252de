import { AntiphonError } from "../../core/error.ts";
import type { JsonObject } from "../../model/guards.ts";
import type { CustomTool, FunctionTool, Tool } from "../../model/index.ts";
import { functionsOf, lostInNamespaces, type DeclaredTool } from "../shared/tool-names.ts";
import { encodeHosted, hostedName, type HostedPlaces } from "./encode-hosted.ts";
import type { Encoding } from "./encoding.ts";
import { extras, ownType, withoutExtras } from "./extension.ts";
import { toBindable, toObjectRoot } from "./schema.ts";
import type { AnswerTool } from "./typed-output.ts";

/** The tools of a request in the wire's places. */
export interface EncodedTools extends HostedPlaces {
  tools: JsonObject[];
}

/** Declares the request's tools in their order, the one that stands in for typed output last. */
export function encodeTools(encoding: Encoding, answer: AnswerTool | undefined): EncodedTools {
  const places: HostedPlaces = { servers: [], uploads: [] };
  const declared = encoding.names.declared.values();
  const allowed = allowedNames(encoding);
  encoding.losses.push(...lostInNamespaces(encoding.request.tools ?? [], "Messages API"));
  const tools = (encoding.request.tools ?? []).flatMap((tool, index): JsonObject[] => {
    const path = `tools[${index}]`;
    const own = functionsOf(tool).map((inner) => encodeFunction(inner, declared.next().value!, path, encoding));
    const encoded = own.length > 0 ? own : encodeOther(tool, path, places, encoding);
    return allowed ? encoded.filter((block) => allowed.has(block["name"] ?? block["mcp_server_name"])) : encoded;
  });
  if (answer) tools.push({ name: answer.name, description: answer.description, input_schema: answerSchema(answer, encoding) });
  return { tools, ...places };
}

const answerSchema = ({ schema }: AnswerTool, { losses }: Encoding): JsonObject =>
  toObjectRoot(schema, "text.format.schema", losses);

function encodeFunction(tool: FunctionTool | CustomTool, declared: DeclaredTool, path: string, encoding: Encoding): JsonObject {
  const { wireName, description, parameters } = declared;
  const { traits, losses, lose } = encoding;
  const strict = "strict" in tool ? tool.strict : undefined;
  const bound = strict === true && traits.strictTools;
  if (strict === true && !traits.strictTools) lose(`${path}.strict`, "The model does not support `strict` tools.");
  const root = toObjectRoot(parameters, `${path}.parameters`, losses);
  return {
    name: wireName,
    ...(description && { description }),
    input_schema: bound ? toBindable(root, `${path}.parameters`, losses) : root,
    ...(traits.strictTools && typeof strict === "boolean" && { strict }),
    ...(tool.defer_loading && { defer_loading: true }),
    ...extras(tool),
  };
}

function encodeOther(tool: Tool, path: string, places: HostedPlaces, encoding: Encoding): JsonObject[] {
  const own = ownType(tool.type);
  return own === undefined
    ? encodeHosted(tool, path, places, encoding)
    : [{ ...withoutExtras(tool), type: own, ...extras(tool) }];
}

/** The names of the only tools that the model may use, where the choice lists them. */
function allowedNames({ request, names }: Encoding): Set<unknown> | undefined {
  const choice = request.tool_choice;
  if (typeof choice !== "object" || choice?.type !== "allowed_tools") return undefined;
  return new Set(
    choice.tools.map(({ type, name, server_label }) => server_label ?? (name ? names.toWire(name) : hostedName(type))),
  );
}

/** Whether the model must call a tool. */
const isForced = (choice: JsonObject | undefined): boolean => choice?.["type"] === "any" || choice?.["type"] === "tool";

/** What was asked about the choice of tools, in the wire's words. */
export function encodeToolChoice(
  encoding: Encoding,
  tools: readonly JsonObject[],
  answer: AnswerTool | undefined,
  thinks: boolean,
): JsonObject | undefined {
  const { request, lose } = encoding;
  if (tools.length === 0) {
    if (request.tool_choice && request.tool_choice !== "auto" && request.tool_choice !== "none")
      lose("tool_choice", "`tool_choice` was omitted because no tool was sent.");
    return undefined;
  }
  let choice = answer ? answerChoice(encoding, tools, answer) : asked(encoding, tools);
  if (thinks && isForced(choice)) {
    if (!answer) lose("tool_choice", 'The model cannot be forced to call a tool while it reasons; "auto" was sent.');
    choice = { type: "auto" };
  }
  const parallel = request.parallel_tool_calls;
  if (typeof parallel !== "boolean" || choice?.["type"] === "none") return choice;
  return { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: !parallel };
}

/** The answer is a call too: with other tools around the model must make one, be it theirs or the answer's. */
function answerChoice(encoding: Encoding, tools: readonly JsonObject[], { name }: AnswerTool): JsonObject {
  const choice = encoding.request.tool_choice === "none" ? undefined : asked(encoding, tools);
  if (choice?.["type"] === "tool") return choice;
  return tools.length === 1 || encoding.request.tool_choice === "none" ? { type: "tool", name } : { type: "any" };
}

const modes = { auto: { type: "auto" }, none: { type: "none" }, required: { type: "any" } } as const;

function asked({ request, names, lose }: Encoding, tools: readonly JsonObject[]): JsonObject | undefined {
  const choice = request.tool_choice;
  if (choice === null || choice === undefined) return undefined;
  if (typeof choice === "string") return { ...modes[choice] };
  if (choice.type === "allowed_tools") {
    lose("tool_choice", "The Messages API does not support `allowed_tools`; only the allowed tools were sent.");
    return { ...modes[(choice as { mode?: keyof typeof modes }).mode ?? "auto"] };
  }
  const own = "name" in choice && choice.type !== "mcp" ? names.toWire(choice.name) : hostedName(choice.type);
  if (own !== undefined && tools.some(({ name }) => name === own)) return { type: "tool", name: own };
  if (choice.type === "function" || choice.type === "custom")
    throw new AntiphonError("BAD_REQUEST", `\`tool_choice\` names the tool "${own}", which is not in \`tools\`.`, {
      param: "tool_choice",
    });
  lose("tool_choice", `The Messages API cannot force a \`${choice.type}\` tool.`);
  return undefined;
}
