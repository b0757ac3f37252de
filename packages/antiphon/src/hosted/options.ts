import type {
  BareTool,
  CodeInterpreterTool,
  ComputerTool,
  FileSearchTool,
  ImageGenerationTool,
  Include,
  McpTool,
  McpToolFilter,
  Tool,
  WebSearchTool,
} from "../model/index.ts";
import { bad, between, checkOptions, listOf, matching, nested, object, oneOf, rule, text, yesOrNo } from "../core/options.ts";

/** Only the fields that were given. */
const given = <T extends object>(fields: T): T => {
  // What is dropped is `undefined`, which the wire's optional fields mean by being absent.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
};

/** Roughly where the user is. */
export interface SearchLocation {
  /** Two letters: `NO`. */
  country?: string;
  region?: string;
  city?: string;
  /** As in the time zone database: `Europe/Oslo`. */
  timezone?: string;
}

/** How the web is searched. */
export interface WebSearchOptions {
  /** How much of what is found is read. */
  contextSize?: "low" | "medium" | "high";
  location?: SearchLocation;
  /** The only domains that are searched: `nrk.no`, without `https://`. */
  domains?: readonly string[];
  /** `false` searches what was stored before, not the live web. */
  live?: boolean;
}

const texts = listOf(text, { least: 1 });
const domain = matching('be a domain without "https://" and path', /^[^\s/:]+\.[^\s/:]+$/);

/**
 * Lets the model search the web.
 *
 * @example
 * const tools = [webSearch({ contextSize: "low", location: { country: "NO" }, domains: ["nrk.no"] })];
 */
export function webSearch(options: WebSearchOptions = {}): WebSearchTool {
  checkOptions("webSearch", options, {
    contextSize: oneOf("low", "medium", "high"),
    location: nested<SearchLocation>({
      country: matching("be a two-letter country code", /^[a-z]{2}$/i),
      region: text,
      city: text,
      timezone: text,
    }),
    domains: listOf(domain, { least: 1, most: 100 }),
    live: yesOrNo,
  });
  const { contextSize, location, domains, live } = options;
  return given({
    type: "web_search" as const,
    search_context_size: contextSize,
    user_location: location && { type: "approximate" as const, ...given(location) },
    filters: domains && { allowed_domains: [...domains] },
    external_web_access: live,
  });
}

/** Which files a search looks at, by their attributes. */
export type FileFilter =
  | {
      type: "eq" | "ne" | "gt" | "gte" | "lt" | "lte" | "in" | "nin";
      key: string;
      value: string | number | boolean | (string | number)[];
    }
  | { type: "and" | "or"; filters: FileFilter[] };

/** Which stores are searched, and how. */
export interface FileSearchOptions {
  /** The ids of vector stores. */
  stores: readonly string[];
  /** 1 to 50. */
  maxResults?: number;
  ranker?: string;
  /** From 0 to 1: what scores less is left out. */
  scoreThreshold?: number;
  filters?: FileFilter;
}

/** Lets the model search files in vector stores: `fileSearch({ stores: ["vs_1"], maxResults: 5 })`. */
export function fileSearch(options: FileSearchOptions): FileSearchTool {
  checkOptions("fileSearch", options, {
    stores: texts,
    maxResults: between(1, 50),
    ranker: text,
    scoreThreshold: between(0, 1, false),
    filters: object,
  });
  const { stores, maxResults, ranker, scoreThreshold, filters } = options;
  if (!stores) throw bad("fileSearch", "stores", "is required");
  const ranking = given({ ranker, score_threshold: scoreThreshold });
  return given({
    type: "file_search" as const,
    vector_store_ids: [...stores],
    max_num_results: maxResults,
    ranking_options: Object.keys(ranking).length > 0 ? ranking : undefined,
    filters: filters && { ...filters },
  });
}

/** Where code runs. */
export interface CodeInterpreterOptions {
  /** A container of yours; else the provider makes one. */
  container?: string;
  /** Ids of files that a new container holds. */
  files?: readonly string[];
  memory?: "1g" | "4g" | "16g" | "64g";
  /** `false` takes a fresh container every time, also where `reuseContainers` would go on in the last one. */
  reuse?: boolean;
}

// A mark on the object itself: on the wire, a field that the server does not know would be refused.
const unshared = new WeakSet<object>();

/** Whether a tool wants a fresh container each time. */
export const wantsFresh = (tool: object): boolean => unshared.has(tool);

/** Lets the model run code in a container at the provider: `codeInterpreter({ files: ["file_1"] })`. */
export function codeInterpreter(options: CodeInterpreterOptions = {}): CodeInterpreterTool {
  checkOptions("codeInterpreter", options, {
    container: text,
    files: texts,
    memory: oneOf("1g", "4g", "16g", "64g"),
    reuse: yesOrNo,
  });
  const { container, files, memory, reuse } = options;
  if (container && (files ?? memory)) throw bad("codeInterpreter", "container", "cannot be combined with `files` or `memory`");
  const fresh = given({ type: "auto" as const, file_ids: files && [...files], memory_limit: memory });
  const tool: CodeInterpreterTool = { type: "code_interpreter", container: container ?? fresh };
  if (reuse === false) unshared.add(tool);
  return tool;
}

/** How pictures are made. */
export interface ImageGenerationOptions {
  /** Previews on the way, 0 to 3. */
  partialImages?: number;
  quality?: "low" | "medium" | "high" | "auto";
  /** `auto`, or width and height: `1024x1536`. */
  size?: string;
  background?: "transparent" | "opaque" | "auto";
  format?: "png" | "jpeg" | "webp";
  /** 0 to 100, for `jpeg` and `webp`. */
  compression?: number;
  moderation?: "auto" | "low";
  /** How closely pictures of the input are kept to. */
  inputFidelity?: "low" | "high";
  model?: string;
}

/** Lets the model create images: `imageGeneration({ partialImages: 2, size: "1024x1024" })`. */
export function imageGeneration(options: ImageGenerationOptions = {}): ImageGenerationTool {
  checkOptions("imageGeneration", options, {
    partialImages: between(0, 3),
    quality: oneOf("low", "medium", "high", "auto"),
    size: matching('be "auto" or a width and height such as "1024x1024"', /^(auto|\d+x\d+)$/),
    background: oneOf("transparent", "opaque", "auto"),
    format: oneOf("png", "jpeg", "webp"),
    compression: between(0, 100),
    moderation: oneOf("auto", "low"),
    inputFidelity: oneOf("low", "high"),
    model: text,
  });
  const { partialImages, format, compression, inputFidelity, ...same } = options;
  if (options.background === "transparent" && format === "jpeg")
    throw bad("imageGeneration", "format", 'cannot be "jpeg" with a transparent background');
  return given({
    type: "image_generation" as const,
    ...same,
    partial_images: partialImages,
    output_format: format,
    output_compression: compression,
    input_fidelity: inputFidelity,
  });
}

/** When the provider asks before it calls a tool of an MCP server: names of tools, or all of them. */
export type McpApproval = "always" | "never" | { always?: readonly string[]; never?: readonly string[] };

/** A remote MCP server that the provider talks to. */
export interface HostedMcpOptions {
  /** The name that the model and the answers know it by. */
  label: string;
  url?: string;
  /** One of the provider's own connectors, in place of a URL. */
  connector?: string;
  description?: string;
  /** A token for the server; it is not kept by the provider. */
  authorization?: string;
  headers?: Readonly<Record<string, string>>;
  allowedTools?: readonly string[];
  /** `always` where nothing is said. */
  approval?: McpApproval;
}

const approvalWord = rule('be "always", "never" or lists of tools', (value) => value === "always" || value === "never");
const approvalLists = nested<Exclude<McpApproval, string>>({ always: texts, never: texts });

const filter = (names: readonly string[] | undefined): McpToolFilter | undefined => names && { tool_names: [...names] };

/**
 * Lets the provider call tools of a remote MCP server: `hostedMcp({ label: "docs", url: "https://mcp.example/mcp"
 * })`.
 */
export function hostedMcp(options: HostedMcpOptions): McpTool {
  checkOptions("hostedMcp", options, {
    label: matching('contain only letters, digits, "-" and "_", and begin with a letter', /^[a-z][\w-]*$/i),
    url: matching('be a URL that begins with "https://" or "http://"', /^https?:\/\/[^\s/]+/),
    connector: text,
    description: text,
    authorization: text,
    headers: object,
    allowedTools: texts,
    approval: (value, place) => (typeof value === "object" ? approvalLists(value, place) : approvalWord(value, place)),
  });
  const { label, url, connector, description, authorization, headers, allowedTools, approval = "always" } = options;
  if (!label) throw bad("hostedMcp", "label", "is required");
  if ((url === undefined) === (connector === undefined))
    throw bad("hostedMcp", "url", "or `connector` is required, but not both");
  return given({
    type: "mcp" as const,
    server_label: label,
    server_url: url,
    connector_id: connector,
    server_description: description,
    authorization,
    headers: headers && { ...headers },
    allowed_tools: allowedTools && [...allowedTools],
    require_approval: mcpApproval(approval),
  });
}

function mcpApproval(approval: McpApproval): McpTool["require_approval"] {
  if (typeof approval === "string") return approval;
  return given({ always: filter(approval.always), never: filter(approval.never) });
}

/** Where a shell's commands run. */
export interface ShellOptions {
  /** `auto` for a new container at the provider, the id of one, or, where left out, with you: see `shellTool`. */
  container?: string;
  /** Ids of files that a new container holds. */
  files?: readonly string[];
  memory?: "1g" | "4g" | "16g" | "64g";
  /** The only domains that a new container may reach; none where left out. */
  domains?: readonly string[];
}

/** Lets the model write shell commands: `shell({ container: "auto" })` runs them at the provider. */
export function shell(options: ShellOptions = {}): BareTool {
  checkOptions("shell", options, {
    container: text,
    files: texts,
    memory: oneOf("1g", "4g", "16g", "64g"),
    domains: listOf(domain, { least: 1 }),
  });
  const { container, files, memory, domains } = options;
  if (container !== "auto" && (files ?? memory ?? domains))
    throw bad("shell", "container", 'must be "auto" if files, memory or domains are set');
  if (container === undefined) return { type: "shell", environment: { type: "local" } };
  if (container !== "auto") return { type: "shell", environment: { type: "container_reference", container_id: container } };
  const network_policy = domains && { type: "allowlist", allowed_domains: [...domains] };
  const environment = given({ type: "container_auto", file_ids: files && [...files], memory_limit: memory, network_policy });
  return { type: "shell", environment };
}

/** Lets the model write commands for a shell of yours. `localShellTool` executes them. */
export const localShell = (): BareTool => ({ type: "local_shell" });

/** Lets the model write patches for your files. `applyPatchTool` applies them. */
export const applyPatch = (): BareTool => ({ type: "apply_patch" });

/** What the model sees. Older models want it described; newer ones look themselves. */
export interface ComputerOptions {
  environment?: "browser" | "mac" | "windows" | "ubuntu" | "linux";
  width?: number;
  height?: number;
}

/** Lets the model use a computer of yours. `computerTool` executes its actions. */
export function computer(options: ComputerOptions = {}): ComputerTool {
  checkOptions("computer", options, {
    environment: oneOf("browser", "mac", "windows", "ubuntu", "linux"),
    width: between(1, 16_384),
    height: between(1, 16_384),
  });
  const { environment, width, height } = options;
  if (environment === undefined && width === undefined && height === undefined) return { type: "computer" };
  if (environment === undefined || width === undefined || height === undefined)
    throw bad("computer", "environment", "is required together with `width` and `height`");
  return { type: "computer_use_preview", environment, display_width: width, display_height: height };
}

// What each tool's results are told by, which servers leave out unless they are asked.
const includes: Readonly<Record<string, Include>> = {
  web_search: "web_search_call.action.sources",
  web_search_2025_08_26: "web_search_call.action.sources",
  file_search: "file_search_call.results",
  code_interpreter: "code_interpreter_call.outputs",
};

/** Returns the `include` values that these tools need so that the answer contains their results. */
export const includesFor = (tools: readonly Tool[]): Include[] => [
  ...new Set(tools.flatMap(({ type }) => (Object.hasOwn(includes, type) ? [includes[type]!] : []))),
];
