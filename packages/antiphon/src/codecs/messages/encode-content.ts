import type { InputContent, InputFile, InputImage } from "../../model/index.ts";
import { parseDataUrl, sniffMediaType, type InlineData } from "../shared/media.ts";
import { fromBase64 } from "./base64.ts";
import type { Encoding } from "./encoding.ts";
import { extra, extras, ownType, type Block } from "./extension.ts";

/** A user's or a tool's parts as blocks; what the wire has no block for is declared and left out. */
export function toBlocks(content: readonly InputContent[], path: string, encoding: Encoding): Block[] {
  return content.flatMap((part, index) => {
    const block = toBlock(part, `${path}.content[${index}]`, encoding);
    return block ? [{ ...block, ...cacheMark(part) }] : [];
  });
}

/** The mark of the caller's that a stretch of prompt ends here which is worth keeping. */
export function cacheMark(value: object): { cache_control?: unknown } {
  const cache_control = extra(value, "cache_control");
  return cache_control ? { cache_control } : {};
}

function toBlock(part: InputContent, path: string, encoding: Encoding): Block | undefined {
  // Parts of the wire's own making have types that the vocabulary does not list.
  const own = ownType(part.type);
  if (own !== undefined) return { ...part, type: own };
  if (part.type === "input_image") return imageBlock(part, path, encoding);
  if (part.type === "input_file") return fileBlock(part, path, encoding);
  if ("text" in part) return part.text.trim() === "" ? undefined : { type: "text", text: part.text };
  encoding.lose(path, `The Messages API does not support \`${part.type}\` content.`);
  return undefined;
}

const known = new Map([["image/jpg", "image/jpeg"]]);

/** The media type that the bytes show, where they show one: the wire refuses bytes that are not what they are called. */
const mediaTypeOf = ({ mediaType, data }: InlineData): string => sniffMediaType(data) ?? known.get(mediaType) ?? mediaType;

function imageBlock({ image_url, file_id, detail }: InputImage, path: string, encoding: Encoding): Block | undefined {
  if (detail && detail !== "auto") encoding.lose(`${path}.detail`, "The Messages API does not support `detail` of images.");
  if (file_id) return { type: "image", source: { type: "file", file_id } };
  const inline = image_url ? parseDataUrl(image_url) : undefined;
  if (inline) return inlineBlock(inline, {}, path, encoding);
  const source = urlSource(image_url, path, encoding);
  return source && { type: "image", source };
}

function urlSource(url: string | null | undefined, path: string, { dialect, lose }: Encoding): Block | undefined {
  if (url && dialect.urlSources) return { type: "url", url };
  lose(path, url ? "The provider does not fetch URLs; send the bytes." : "The part has no bytes, URL or file id.");
  return undefined;
}

function fileBlock(part: InputFile, path: string, encoding: Encoding): Block | undefined {
  const { file_data, file_url, file_id, filename } = part;
  const { cache_control: _, ...own } = extras(part);
  const named = { ...(filename ? { title: filename } : {}), ...own };
  if (file_data) {
    const bare = { mediaType: "application/octet-stream", data: file_data };
    return inlineBlock(parseDataUrl(file_data) ?? bare, named, path, encoding);
  }
  const source = file_id ? { type: "file", file_id } : urlSource(file_url, path, encoding);
  return source && { type: "document", source, ...named };
}

const isText = (mediaType: string): boolean => /^text\/|[/+](json|xml|yaml|javascript)$/.test(mediaType);

/** Bytes as the block that their kind belongs in: an image, a PDF, or a document of plain text. */
function inlineBlock(inline: InlineData, named: object, path: string, { lose }: Encoding): Block | undefined {
  const media_type = mediaTypeOf(inline);
  const source = { type: "base64", media_type, data: inline.data };
  if (media_type.startsWith("image/")) return { type: "image", source };
  if (media_type === "application/pdf") return { type: "document", source, ...named };
  const text = isText(media_type) ? fromBase64(inline.data) : undefined;
  if (text !== undefined) return { type: "document", source: { type: "text", media_type: "text/plain", data: text }, ...named };
  lose(path, `The Messages API does not support files of type "${media_type}".`);
  return undefined;
}
