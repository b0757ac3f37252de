import { own } from "../../model/guards.ts";
import type { InputContent } from "../../model/index.ts";
import { parseDataUrl, sniffMediaType, toDataUrl } from "../shared/media.ts";
import { extras, withExtra } from "./extension.ts";
import { textIn, type Part } from "./wire.ts";

const byExtension: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  heic: "image/heic",
  heif: "image/heif",
  gif: "image/gif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  mp3: "audio/mp3",
  wav: "audio/wav",
  flac: "audio/flac",
  ogg: "audio/ogg",
  aac: "audio/aac",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};

const extensionOf = (name: string): string => /\.(\w+)(?:[?#].*)?$/.exec(name)?.[1]?.toLowerCase() ?? "";
const typeByName = (name: string): string | undefined => own(byExtension, extensionOf(name));

/** Sound's format as a client names it, and as the wire does. */
const audioTypes: readonly (readonly [format: string, type: string])[] = [
  ["mp3", "audio/mp3"],
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
];

const inline = (mimeType: string, data: string, name?: string): Part => ({
  inlineData: { mimeType, data, ...(name !== undefined && { displayName: name }) },
});

/** Media by reference: the server fetches it, or knows it by this name. */
function byUri(fileUri: string, mimeType: string | undefined, name?: string): Part {
  return {
    fileData: { ...(mimeType !== undefined && { mimeType }), fileUri, ...(name !== undefined && { displayName: name }) },
  };
}

function fromUrl(url: string, mimeType: string | undefined, name?: string): Part {
  const data = parseDataUrl(url);
  return data ? inline(data.mediaType, data.data, name) : byUri(url, mimeType, name);
}

/** The media type of what a URL names: as the wire's own clients said it, by the URL's ending, or what is most likely. */
const typeOf = (content: object, url: string, likely?: string): string | undefined =>
  textIn(extras(content)["mimeType"]) ?? typeByName(url) ?? likely;

type Encoders = { [T in InputContent["type"]]: (content: Extract<InputContent, { type: T }>, name?: string) => Part | undefined };

const encoders: Encoders = {
  input_text: ({ text }) => (text === "" ? undefined : { text }),
  input_image: (content) => {
    const url = content.image_url ?? content.file_id;
    return url ? fromUrl(url, typeOf(content, url, content.image_url ? "image/jpeg" : undefined)) : undefined;
  },
  input_file: (content, name) => {
    const { file_data, file_url, file_id, filename = "" } = content;
    const url = file_data?.startsWith("data:") ? file_data : (file_url ?? file_id);
    if (url) return fromUrl(url, typeOf(content, url, typeByName(filename)), name);
    if (!file_data) return undefined;
    return inline(typeByName(filename) ?? sniffMediaType(file_data) ?? "application/octet-stream", file_data, name);
  },
  input_video: (content) => fromUrl(content.video_url, typeOf(content, content.video_url, "video/mp4")),
  input_audio: ({ input_audio: { data, format } }) =>
    inline(audioTypes.find(([known]) => known === format)?.[1] ?? `audio/${format}`, data),
};

/** A piece of a message as a part; nothing where it is empty. `name` is sent where the server takes names of files. */
export function toPart(content: InputContent, name?: string): Part | undefined {
  const encode = own(encoders, content.type);
  // The table pairs each type with its own encoder, which is more than the type system can follow.
  return (encode as ((content: InputContent, name?: string) => Part | undefined) | undefined)?.(content, name);
}

/** A media part's piece of a message. */
export function fromInline(mediaType: string, data: string, name?: string): InputContent {
  const url = toDataUrl({ mediaType, data });
  if (mediaType.startsWith("image/")) return { type: "input_image", image_url: url };
  if (mediaType.startsWith("video/")) return { type: "input_video", video_url: url };
  const format = mediaType.startsWith("audio/") ? mediaType.slice("audio/".length) : undefined;
  if (format !== undefined && /^[\w-]+$/.test(format))
    return {
      type: "input_audio",
      input_audio: { data, format: audioTypes.find(([, type]) => type === mediaType)?.[0] ?? format },
    };
  return { type: "input_file", ...(name !== undefined && { filename: name }), file_data: url };
}

/** The same for media by reference. */
export function fromUri(uri: string, mediaType: string, name?: string): InputContent {
  const told = typeByName(uri) === mediaType ? {} : withExtra("mimeType", mediaType || undefined);
  if (mediaType.startsWith("image/")) return { type: "input_image", image_url: uri, ...told };
  if (mediaType.startsWith("video/")) return { type: "input_video", video_url: uri, ...told };
  return { type: "input_file", ...(name !== undefined && { filename: name }), file_url: uri, ...told };
}

/** Bytes or a reference as a model's own turn holds them. */
export const mediaPart = (mimeType: string, data: string | undefined, uri: string | undefined): Part =>
  uri === undefined ? { inlineData: { mimeType, data: data ?? "" } } : { fileData: { mimeType, fileUri: uri } };
