import type { Loss } from "../core/loss.ts";
import type { Annotation, ContainerFileCitation, Item, ResponseResource } from "../model/index.ts";
import type { FileReference } from "./container-files.ts";
import type { ResultFile } from "./result-file.ts";

/** A file that an answer holds, or speaks of. */
export interface FoundFile {
  /** Where in the response. */
  path: string;
  source: ResultFile["source"];
  /** What it is called, or, where it has no name, what kind of thing it is. */
  name: string;
  named: boolean;
  mimeType?: string;
  /** Where the answer holds it: base64, or, in some data URLs, text with percent signs. */
  data?: string;
  isText?: true;
  reference?: FileReference;
}

/** What was found, and what there is that cannot be had. */
interface Finds {
  files: FoundFile[];
  problems: Loss[];
}

// Anthropic gives files only to those who say that they know its Files API.
const anthropicFiles = { "anthropic-beta": "files-api-2025-04-14" };

type Finder = (item: Item, path: string, finds: Finds) => void;

/** The items that hold files, or speak of some. A new one is a line. */
const finders: ReadonlyMap<string, Finder> = new Map<string, Finder>([
  ["message", citedFiles],
  ["image_generation_call", picture],
  ["code_interpreter_call", outputFiles],
  ["google:media", media],
  ["openai:audio", (item, path, finds) => inline(Reflect.get(item, "data"), "audio", item, `${path}.data`, finds)],
]);

/** Every file of an answer, each once, in the order of the output. */
export function findFiles({ output }: Pick<ResponseResource, "output">): Finds {
  const finds: Finds = { files: [], problems: [] };
  output.forEach((item, index) => finders.get(item.type)?.(item, `output[${index}]`, finds));
  return { ...finds, files: once(finds.files) };
}

/** A file is often cited more than once. */
function once(files: readonly FoundFile[]): FoundFile[] {
  const seen = new Set<string>();
  return files.filter(({ reference }) => {
    if (!reference) return true;
    const key = `${reference.container_id ?? ""}/${reference.file_id}`;
    return seen.has(key) ? false : Boolean(seen.add(key));
  });
}

function citedFiles(item: Item, path: string, { files }: Finds): void {
  if (item.type !== "message") return;
  item.content.forEach((part, at) => {
    if (part.type !== "output_text") return;
    part.annotations.forEach((annotation, index) => {
      if (isCited(annotation)) files.push(cited(annotation, item, `${path}.content[${at}].annotations[${index}]`));
    });
  });
}

/** A citation of no text names a picture that the call has already shown. */
const isCited = (annotation: Annotation): annotation is ContainerFileCitation =>
  annotation.type === "container_file_citation" && annotation.start_index !== annotation.end_index;

function cited({ container_id, file_id, filename }: ContainerFileCitation, { id }: Item, path: string): FoundFile {
  const source = { item_id: id, container_id, file_id };
  return { path, source, name: filename || file_id, named: true, reference: { container_id, file_id } };
}

function picture(item: Item, path: string, finds: Finds): void {
  if (item.type !== "image_generation_call") return;
  inline(item.result, "image", item, `${path}.result`, finds, `image/${item.output_format ?? "png"}`);
}

/** What code showed or left behind: pictures, and files that a provider names by their ids alone. */
function outputFiles(item: Item, path: string, finds: Finds): void {
  if (item.type !== "code_interpreter_call") return;
  item.outputs?.forEach((output: { type: string; url?: string; file_id?: unknown }, index) => {
    const at = `${path}.outputs[${index}]`;
    if (output.type === "image") inline(output.url, "image", item, `${at}.url`, finds);
    else if (output.type === "anthropic:file" && typeof output.file_id === "string") {
      const { file_id } = output;
      const source = { item_id: item.id, file_id, ...(item.container_id && { container_id: item.container_id }) };
      finds.files.push({ path: at, source, name: "file", named: false, reference: { file_id, headers: anthropicFiles } });
    }
  });
}

/** Sound and the like. Pictures of a thought are no deliverables. */
function media(item: Item, path: string, finds: Finds): void {
  const { data, uri, mime_type, thought } = item as { data?: unknown; uri?: unknown; mime_type?: unknown; thought?: unknown };
  if (thought === true) return;
  const mimeType = typeof mime_type === "string" ? mime_type : undefined;
  inline(data ?? uri, mimeType?.split("/")[0] ?? "file", item, `${path}.${data === undefined ? "uri" : "data"}`, finds, mimeType);
}

/** Base64, bare or in a data URL, or a data URL of plain text. An address elsewhere is told, not followed: nobody vouches for what is behind it. */
function inline(value: unknown, name: string, { id }: Item, path: string, finds: Finds, mimeType?: string): void {
  if (typeof value !== "string" || value === "") return;
  const url = /^data:([^;,]*)([^,]{0,200}),/i.exec(value.slice(0, 512));
  if (!url && /^[a-z][a-z\d+.-]*:\/\//i.test(value)) {
    finds.problems.push({ path, reason: `The file is at ${value.slice(0, 200)} and is not downloaded automatically.` });
    return;
  }
  const type = url?.[1] || mimeType;
  const data = url ? value.slice(url[0].length) : value;
  const isText = url && !/;base64$/i.test(url[2]!) ? { isText: true as const } : {};
  finds.files.push({ path, source: { item_id: id }, name, named: false, data, ...isText, ...(type && { mimeType: type }) });
}
