import { AntiphonError } from "../core/error.ts";
import { isObject, own } from "../model/guards.ts";
import type { InputContent } from "../model/index.ts";

/** What an MCP server gives for a call, as far as it is read here. */
export interface McpResult {
  content?: readonly { type: string; [field: string]: unknown }[];
  structuredContent?: unknown;
  isError?: boolean;
  [field: string]: unknown;
}

/** How much of a result is passed on, and what of it. */
export interface ResultOptions {
  /** Characters of text, at most; 100,000 where nothing is said. What is beyond is cut, and the model is told. */
  maxText?: number;
  /** Characters of base64 in pictures, sound and files, at most; 20,000,000 where nothing is said. */
  maxData?: number;
  /** Whether `structuredContent` is passed on in place of `content`; where left out, only if there is no `content`. */
  structured?: boolean;
}

/** A result as a tool gives it: text, or content parts where there is more than text. One that is an error is thrown. */
export function readResult(result: McpResult, options: ResultOptions = {}): string | InputContent[] {
  const { content = [], structuredContent, isError } = checked(result);
  const usesData = structuredContent !== undefined && (options.structured || content.length === 0);
  const parts = usesData ? [text(JSON.stringify(structuredContent))] : content.map(readPart);
  const bounded = bound(parts, options);
  if (isError)
    throw new AntiphonError("SERVER_ERROR", textOf(bounded) || "The tool failed without an error message.", {
      vendorCode: "tool_error",
    });
  return bounded.every((part) => part.type === "input_text") ? textOf(bounded) : bounded;
}

/** The SDK vouches for what a server says; a client of somebody else's may not. */
function checked(result: McpResult): McpResult {
  if (isObject(result) && (result.content === undefined || Array.isArray(result.content))) return result;
  throw new AntiphonError("PROTOCOL", "The MCP server returned an invalid result.");
}

const text = (value: string): InputContent => ({ type: "input_text", text: value });
const textOf = (parts: readonly InputContent[]): string =>
  parts.flatMap((part) => (part.type === "input_text" ? [part.text] : [])).join("\n");

type Part = { readonly [field: string]: unknown };

const readers: Readonly<Record<string, (part: Part) => InputContent>> = {
  text: (part) => text(String(part["text"])),
  image: (part) => data(String(part["data"]), part["mimeType"]),
  audio: (part) => data(String(part["data"]), part["mimeType"]),
  resource: (part) => readResource(isObject(part["resource"]) ? part["resource"] : {}),
  resource_link: (part) => text(`${String(part["title"] ?? part["name"] ?? "A resource")}: ${String(part["uri"])}`),
};

/** A part of a kind that is not known is passed on as it is: better odd than lost. */
function readPart(part: Part): InputContent {
  const type = isObject(part) ? String(part["type"]) : "";
  const read = own(readers, type);
  return read ? read(part) : text(JSON.stringify(part));
}

function readResource(resource: Part): InputContent {
  const { uri, blob } = resource;
  if (typeof blob !== "string") return text(String(resource["text"] ?? uri ?? ""));
  return data(
    blob,
    resource["mimeType"],
    String(uri ?? "")
      .split("/")
      .at(-1) || undefined,
  );
}

const formats: ReadonlyMap<string, string> = new Map([
  ["mpeg", "mp3"],
  ["x-wav", "wav"],
  ["wave", "wav"],
  ["vnd.wave", "wav"],
]);

/** Bytes by what they are: a picture, sound, or else a file. */
function data(base64: string, type: unknown, filename?: string): InputContent {
  const mimeType = typeof type === "string" && type ? type : "application/octet-stream";
  const [kind, subtype = ""] = mimeType.split(";")[0]!.split("/");
  const url = `data:${mimeType};base64,${base64}`;
  if (kind === "image") return { type: "input_image", image_url: url };
  if (kind === "audio") return { type: "input_audio", input_audio: { data: base64, format: formats.get(subtype) ?? subtype } };
  return { type: "input_file", filename: filename ?? "file", file_data: url };
}

/** Cuts text and leaves out data beyond what is allowed, saying so in its place. */
function bound(parts: readonly InputContent[], { maxText = 100_000, maxData = 20_000_000 }: ResultOptions): InputContent[] {
  const left = { text: maxText, data: maxData };
  return parts.map((part) => {
    if (part.type === "input_text") {
      const kept = cut(part.text, left.text);
      left.text = Math.max(0, left.text - part.text.length);
      return kept === part.text ? part : text(kept);
    }
    const size = JSON.stringify(part).length;
    if (size > left.data) return text(`[${part.type.replace("input_", "")} of ${size} characters omitted: too large]`);
    left.data -= size;
    return part;
  });
}

function cut(value: string, most: number): string {
  if (value.length <= most) return value;
  // Half of a pair of surrogates is no character.
  const end = /[\ud800-\udbff]/.test(value.charAt(most - 1)) ? most - 1 : most;
  return `${value.slice(0, end)}\n[${value.length - end} more characters omitted: too long]`;
}
