import { AntiphonError } from "../../core/error.ts";
import { inBackticks } from "../../core/options.ts";
import type { JsonObject } from "../../model/guards.ts";
import type {
  CodeInterpreterTool,
  CreateResponse,
  FileSearchTool,
  McpTool,
  Tool,
  ToolChoice,
  WebSearchTool,
} from "../../model/index.ts";
import { functionsOf, lostInNamespaces, type DeclaredTool } from "../shared/tool-names.ts";
import type { TurnContext } from "./encode-turn.ts";
import { extras, ownType } from "./extension.ts";
import { toOpenApi } from "./openapi-schema.ts";
import type { ToolSet } from "./tool-set.ts";
import { objectIn } from "./wire.ts";

/** A request's tools in the wire's words. */
export interface WireTools {
  tools?: JsonObject[];
  toolConfig?: JsonObject;
  /** Whether pictures are asked for, which the wire has no tool for. */
  pictures: boolean;
}

type Choice = Exclude<ToolChoice, string>;
type AllowedTools = Extract<Choice, { type: "allowed_tools" }>;
type Encode = (tool: Tool, path: string, context: TurnContext) => JsonObject | undefined;

/** Tools and the choice among them, as a model of this dialect takes them. */
export function encodeTools(request: CreateResponse, set: ToolSet, context: TurnContext): WireTools {
  const { dialect, traits, losses } = context;
  losses.push(...lostInNamespaces(request.tools ?? [], "Gemini API"));
  const paths = declaredPaths(request.tools ?? []);
  const functions = set.names.declared.map((tool, index) => declaration(tool, paths[index] ?? "text.format", context));
  const hosted = hostedTools(request, functions.length > 0, context);
  const pictures = (request.tools ?? []).some((tool) => tool.type === "image_generation" && !unlisted(tool, request.tool_choice));
  const config = functions.length > 0 ? choiceConfig(request.tool_choice, set, context) : loneChoice(request, hosted, context);
  const shown = functions.length > 0 && hosted.length > 0 && traits.mixesTools && dialect.showsServerTools;
  const toolConfig = {
    ...(config && { functionCallingConfig: config }),
    ...(shown && { includeServerSideToolInvocations: true }),
  };
  if (request.parallel_tool_calls === false && functions.length > 0)
    losses.push({ path: "parallel_tool_calls", reason: "The Gemini API cannot turn off parallel function calls." });
  const tools = functions.length > 0 ? [...hosted, { functionDeclarations: functions }] : hosted;
  return {
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(toolConfig).length > 0 && { toolConfig }),
    pictures,
  };
}

/** Where each declared function is in the request; those of a namespace are at its place. */
const declaredPaths = (tools: readonly Tool[]): string[] =>
  tools.flatMap((tool, index) => functionsOf(tool).map(() => `tools[${index}]`));

function declaration(
  { wireName, description, parameters, strict }: DeclaredTool,
  path: string,
  context: TurnContext,
): JsonObject {
  if (strict) context.losses.push({ path: `${path}.strict`, reason: "The Gemini API does not support `strict` functions." });
  const declared = { name: wireName, ...(description !== undefined && { description }) };
  if (context.dialect.schemas === "json-schema") return { ...declared, parametersJsonSchema: parameters };
  const { schema, reworded } = toOpenApi(parameters);
  if (reworded.length > 0)
    context.losses.push({
      path: `${path}.parameters`,
      reason: `The Gemini API does not support ${inBackticks(reworded)} in schemas; the descriptions state these rules.`,
    });
  // An object without properties is refused; a function without parameters is not.
  return schema["properties"] === undefined ? declared : { ...declared, parameters: schema };
}

const lose = (context: TurnContext, path: string, values: object, reason: string): void => {
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== null) context.losses.push({ path: `${path}.${name}`, reason });
};

const webSearch: Encode = (tool, path, context) => {
  const { search_context_size, user_location, filters, external_web_access } = tool as WebSearchTool;
  lose(
    context,
    path,
    { search_context_size, user_location, filters, external_web_access },
    "Web search in the Gemini API does not support this option.",
  );
  return { googleSearch: {} };
};

// Each encoder is looked up by the type of the tool that it takes.
const encoders: Readonly<Record<string, Encode>> = {
  web_search: webSearch,
  web_search_2025_08_26: webSearch,
  web_search_preview: webSearch,
  web_search_preview_2025_03_11: webSearch,
  code_interpreter: (tool, path, context) => {
    const { container } = tool as CodeInterpreterTool;
    const why = "Code execution in the Gemini API does not support containers.";
    if (typeof container === "string") lose(context, path, { container }, why);
    else lose(context, `${path}.container`, { ...container, type: undefined }, why);
    return { codeExecution: {} };
  },
  file_search: (tool, path, context) => {
    const { vector_store_ids, max_num_results, ranking_options, filters } = tool as FileSearchTool;
    if (!context.dialect.fileSearch) return undefined;
    lose(context, path, { ranking_options, filters }, "File search in the Gemini API does not support this option.");
    return { fileSearch: { fileSearchStoreNames: vector_store_ids, ...(max_num_results != null && { topK: max_num_results }) } };
  },
  mcp: (tool, path, context) => {
    const {
      server_label: name,
      server_url,
      headers,
      authorization,
      allowed_tools,
      require_approval,
      connector_id,
    } = tool as McpTool;
    if (!context.dialect.mcp || !server_url) return undefined;
    if (require_approval && require_approval !== "never")
      throw new AntiphonError(
        "UNSUPPORTED",
        'The Gemini API calls MCP tools without approval; set `require_approval` to "never".',
        {
          param: `${path}.require_approval`,
        },
      );
    if (allowed_tools)
      throw new AntiphonError("UNSUPPORTED", "The Gemini API allows all tools of an MCP server; remove `allowed_tools`.", {
        param: `${path}.allowed_tools`,
      });
    // Where nothing is said, the vocabulary means that calls are to be approved.
    const approval = require_approval ? null : "always";
    lose(
      context,
      path,
      { require_approval: approval, connector_id },
      "MCP servers in the Gemini API do not support this option.",
    );
    const sent = { ...headers, ...(authorization && { Authorization: `Bearer ${authorization}` }) };
    const transport = { url: server_url, ...(Object.keys(sent).length > 0 && { headers: sent }) };
    return {
      mcpServers: [{ name, streamableHttpTransport: { ...transport, ...objectIn(extras(tool)["streamableHttpTransport"]) } }],
    };
  },
};

const isFunction = ({ type }: { type: string }): boolean => type === "function" || type === "custom" || type === "namespace";

function hostedTools({ tools, tool_choice }: CreateResponse, besideFunctions: boolean, context: TurnContext): JsonObject[] {
  return (tools ?? []).flatMap((tool, index) => {
    const path = `tools[${index}]`;
    const reason = isFunction(tool)
      ? undefined
      : (unlisted(tool, tool_choice) ??
        (tool.type === "image_generation" ? undefined : barrier(tool_choice, besideFunctions, context)));
    if (reason !== undefined) context.losses.push({ path, reason });
    return reason === undefined ? encodeHosted(tool, path, context) : [];
  });
}

const isAllowing = (choice: ToolChoice | null | undefined): choice is AllowedTools =>
  typeof choice === "object" && choice?.type === "allowed_tools";

/** Why a server-side tool may not be sent, where the choice lists the only ones that may be used. */
function unlisted(tool: Tool, choice: ToolChoice | null | undefined): string | undefined {
  if (!isAllowing(choice)) return undefined;
  const label = Reflect.get(tool, "server_label");
  const isListed = choice.tools.some(({ type, server_label }) => type === tool.type && server_label === label);
  return isListed
    ? undefined
    : "The Gemini API can only list allowed functions; server-side tools that are not allowed were omitted.";
}

/** Why no server-side tool may be sent, if there is a reason. */
function barrier(choice: ToolChoice | null | undefined, besideFunctions: boolean, { traits }: TurnContext): string | undefined {
  if (choice === "none") return 'Server-side tools were omitted because `tool_choice` is "none".';
  return besideFunctions && !traits.mixesTools
    ? "The model does not support server-side tools together with functions."
    : undefined;
}

function encodeHosted(tool: Tool, path: string, context: TurnContext): JsonObject[] {
  if (isFunction(tool)) {
    if ("defer_loading" in tool && tool.defer_loading)
      lose(context, path, { defer_loading: true }, "The Gemini API does not support deferred loading of tools.");
    return [];
  }
  if (tool.type === "image_generation") {
    const { type: _, ...options } = tool;
    lose(context, path, options, "Image generation in the Gemini API does not support this option.");
    return [];
  }
  const { type, ...options } = tool;
  const own = ownType(type);
  if (own !== undefined) return [{ [own]: options }];
  const encoded = Object.hasOwn(encoders, type) ? encoders[type]?.(tool, path, context) : undefined;
  if (!encoded) context.losses.push({ path, reason: `The Gemini API does not support \`${type}\` tools.` });
  return encoded ? [encoded] : [];
}

function choiceConfig(choice: ToolChoice | null | undefined, set: ToolSet, context: TurnContext): JsonObject | undefined {
  // The caller's functions stay open to the model, but some function must be called: in the end the hidden one.
  if (set.answer !== undefined && (typeof choice !== "object" || choice === null))
    return choice === "none" ? { mode: "ANY", allowedFunctionNames: [set.answer] } : { mode: "ANY" };
  if (choice === null || choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: modes[choice] };
  if (choice.type === "function" || choice.type === "custom")
    return { mode: "ANY", allowedFunctionNames: [wireNameOf((choice as { name: string }).name, set)] };
  if (isAllowing(choice)) return allowedConfig(choice, set, context);
  context.losses.push({ path: "tool_choice", reason: `The Gemini API cannot force a \`${choice.type}\` tool.` });
  return undefined;
}

const modes = { none: "NONE", auto: "AUTO", required: "ANY" } as const;

const unforced = "The Gemini API cannot force a server-side tool.";
const unnamed = "The Gemini API can only list allowed functions; every server-side tool that is sent is allowed.";

/** `AUTO` takes no names; `VALIDATED` leaves the model the same freedom and does. */
function allowedConfig({ mode = "auto", tools }: AllowedTools, set: ToolSet, { losses }: TurnContext): JsonObject {
  const functions = mode === "none" ? [] : tools.filter(isFunction);
  if (mode !== "none" && functions.length < tools.length)
    losses.push({ path: "tool_choice", reason: mode === "required" ? unforced : unnamed });
  const names = functions.flatMap(({ name }) => (name === undefined ? [] : [wireNameOf(name, set)]));
  if (set.answer !== undefined) return { mode: "ANY", allowedFunctionNames: [...names, set.answer] };
  // An empty list of names would allow every function.
  if (names.length === 0) return { mode: "NONE" };
  return { mode: mode === "auto" ? "VALIDATED" : "ANY", allowedFunctionNames: names };
}

function wireNameOf(name: string, { names }: ToolSet): string {
  const tool = names.declared.find((one) => one.name === name);
  if (!tool)
    throw new AntiphonError("BAD_REQUEST", `\`tool_choice\` names the tool "${name}", which is not in \`tools\`.`, {
      param: "tool_choice",
    });
  return tool.wireName;
}

/** Without functions the wire takes no choice; only one that wanted a tool is missed. */
function loneChoice({ tool_choice: choice }: CreateResponse, hosted: readonly unknown[], { losses }: TurnContext): undefined {
  if (!choice || choice === "none" || choice === "auto") return;
  const reason = hosted.length > 0 ? unforced : "`tool_choice` was omitted because no tool was sent.";
  losses.push({ path: "tool_choice", reason });
}
