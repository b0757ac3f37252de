import type { CreateResponse, ExtensionItem, ExtensionTool, InputItem, Tool } from "antiphon";
import type { UrlGuard } from "./url-guard.ts";

/** A URL in a request, and where it stands. */
interface FoundUrl {
  path: string;
  url: string;
}

type Fields = Record<string, unknown>;
type KnownItem = NonNullable<Exclude<InputItem, ExtensionItem>["type"]>;
type KnownTool = Exclude<Tool, ExtensionTool>["type"];

/** Which fields of an item may hold URLs that somebody fetches. What is not in the table is looked at as a whole. */
const itemFields: Readonly<Record<KnownItem, readonly string[]>> = {
  message: ["content"],
  function_call: [],
  function_call_output: ["output"],
  reasoning: [],
  compaction: [],
  item_reference: [],
  // The pages that were looked at: nobody looks again.
  web_search_call: [],
  file_search_call: [],
  code_interpreter_call: ["outputs"],
  image_generation_call: [],
  mcp_list_tools: [],
  mcp_approval_request: [],
  mcp_approval_response: [],
  mcp_call: [],
  local_shell_call: [],
  local_shell_call_output: [],
  shell_call: [],
  shell_call_output: [],
  apply_patch_call: [],
  apply_patch_call_output: [],
  computer_call: [],
  computer_call_output: ["output"],
  custom_tool_call: [],
  custom_tool_call_output: ["output"],
  tool_search_call: [],
  tool_search_output: ["tools"],
  program: [],
  program_output: [],
};

/** Tools that are the caller's own: their schemas name URLs only to describe them. */
const silentTools: ReadonlySet<unknown> = new Set<KnownTool>(["function", "custom"]);
const silentParts: ReadonlySet<unknown> = new Set([
  "input_text",
  "output_text",
  "refusal",
  "summary_text",
  "reasoning_text",
  "text",
]);

const urlName = /ur[il]s?$/i;
// Some wires take a URL where others have an id or the bytes themselves.
const otherName = /(?:_id|data)$/i;
const hasScheme = /^\s*[a-z][a-z\d+.-]*:\/\//i;
const isInline = /^data:/i;

/**
 * Refuses a request that names a private place anywhere: some upstreams run next to us, and fetch what they are told to.
 *
 * @example
 * checkRequestUrls({ input: [message] }, new UrlGuard({ allow: ["mcp.corp.example"] }));
 */
export function checkRequestUrls(request: CreateResponse, guard: UrlGuard): void {
  for (const { path, url } of requestUrls(request)) guard.check(url, path);
}

/** All URLs of a request that somebody may fetch. Most requests hold text alone: that costs a look at its type, and no path is spelt. */
export function requestUrls({ input, tools, prompt }: CreateResponse): FoundUrl[] {
  const found: FoundUrl[] = [];
  if (Array.isArray(input)) for (let index = 0; index < input.length; index += 1) fromItem(input[index], index, found);
  if (tools) fromTools(tools, "tools", found);
  if (prompt?.variables) walk(prompt.variables, "prompt.variables", "", found);
  return found;
}

/** A caller may write what no type allows: all that is known of anything is that it may have fields. */
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : nothing);
const nothing: Fields = Object.freeze({});

function fromItem(item: unknown, index: number, found: FoundUrl[]): void {
  const fields = fieldsOf(item);
  const type = fields["type"] ?? "message";
  if (!isKnown(type)) return walk(item, `input[${index}]`, "", found);
  for (const name of itemFields[type]) {
    const value = fields[name];
    if (typeof value !== "object" || isText(value)) continue;
    const path = `input[${index}].${name}`;
    if (name === "tools") fromTools(value, path, found);
    else fromContent(value, path, found);
  }
}

const isKnown = (type: unknown): type is KnownItem => typeof type === "string" && Object.hasOwn(itemFields, type);
const isSilent = (part: unknown): boolean => silentParts.has(fieldsOf(part)["type"]);
const isText = (content: unknown): boolean => Array.isArray(content) && content.every(isSilent);

function fromContent(content: unknown, path: string, found: FoundUrl[]): void {
  if (!Array.isArray(content)) return walk(content, path, "", found);
  for (const [index, part] of content.entries()) if (!isSilent(part)) walk(part, `${path}[${index}]`, "", found);
}

function fromTools(tools: unknown, path: string, found: FoundUrl[]): void {
  if (!Array.isArray(tools)) return walk(tools, path, "", found);
  for (const [index, tool] of tools.entries()) {
    if (silentTools.has(fieldsOf(tool)["type"])) continue;
    const { tools: inner, ...rest } = fieldsOf(tool);
    walk(rest, `${path}[${index}]`, "", found);
    if (inner !== undefined) fromTools(inner, `${path}[${index}].tools`, found);
  }
}

/** Everything below a value that is called a URL, or is one in the place of an id or of bytes. `name` is that of the nearest field. */
function walk(value: unknown, path: string, name: string, found: FoundUrl[]): void {
  if (typeof value === "string") {
    const isUrl = urlName.test(name) ? value !== "" && !isInline.test(value) : otherName.test(name) && hasScheme.test(value);
    if (isUrl) found.push({ path, url: value });
  } else if (Array.isArray(value)) value.forEach((one, index) => walk(one, `${path}[${index}]`, name, found));
  else for (const [key, inner] of Object.entries(fieldsOf(value))) walk(inner, `${path}.${key}`, key, found);
}
