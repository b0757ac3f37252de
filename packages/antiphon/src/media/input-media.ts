import { encodeBase64 } from "../core/base64.ts";
import { AntiphonError } from "../core/error.ts";
import { extensionOf, sniffMime } from "../core/mime.ts";
import { checkArgument, checkOptions, limit, oneOf, text, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { ImageDetail, InputAudio, InputFile, InputImage, InputVideo } from "../model/index.ts";

/** Where something is: a URL, a data URL, a local path, its bytes, or the id of an uploaded file. */
export type MediaSource = string | URL | Uint8Array | ArrayBuffer | Blob | { file_id: string };

/** What may be said about any attachment. */
export interface MediaOptions {
  /** The largest that is taken, in bytes; 50 MiB where nothing is said. */
  maxBytes?: number;
  /** What it is, where its content does not tell. */
  mimeType?: string;
}

interface ImageOptions extends MediaOptions {
  detail?: ImageDetail;
}

interface FileOptions extends MediaOptions {
  name?: string;
}

const defaultLimit = 50 * 1024 * 1024;

/** Something with its bytes at hand. */
interface Loaded {
  bytes: Uint8Array;
  mimeType: string;
  name: string | undefined;
}

/** Something that only the provider can fetch. */
type Remote = { url: string } | { file_id: string };

const mediaRules: Rules<MediaOptions> = { maxBytes: limit(0), mimeType: text };
const imageRules: Rules<ImageOptions> = { ...mediaRules, detail: oneOf("low", "high", "auto", "original") };
const fileRules: Rules<FileOptions> = { ...mediaRules, name: text };

const isSource = (source: unknown): boolean =>
  (typeof source === "string" && source !== "") ||
  source instanceof URL ||
  source instanceof ArrayBuffer ||
  ArrayBuffer.isView(source) ||
  source instanceof Blob ||
  (isObject(source) && typeof source["file_id"] === "string");

/** Bytes, or a place that the provider looks at itself. Nothing is fetched here: a URL goes to the provider as it is. */
async function load(source: MediaSource, { maxBytes = defaultLimit, mimeType }: MediaOptions): Promise<Loaded | Remote> {
  checkArgument("MediaSource", "a URL, a path, bytes, a Blob or `{ file_id }`", isSource(source), source);
  if (typeof source === "object" && "file_id" in source) return source;
  if (source instanceof URL || typeof source === "string") {
    const place = String(source);
    if (/^(https?|data):/i.test(place)) return { url: checkUrl(place, maxBytes) };
    const { readFile } = await import("#platform");
    const { bytes, name } = await readFile(place, maxBytes);
    return loaded(bytes, name, maxBytes, mimeType);
  }
  const name = source instanceof Blob && "name" in source && typeof source.name === "string" ? source.name : undefined;
  const stated = mimeType ?? (source instanceof Blob && source.type ? source.type : undefined);
  if (source instanceof Blob) checkSize(source.size, maxBytes, name);
  const bytes = source instanceof Blob ? new Uint8Array(await source.arrayBuffer()) : new Uint8Array(source);
  return loaded(bytes, name, maxBytes, stated);
}

function loaded(bytes: Uint8Array, name: string | undefined, maxBytes: number, stated: string | undefined): Loaded {
  checkSize(bytes.length, maxBytes, name);
  if (bytes.length === 0) throw new AntiphonError("BAD_REQUEST", `${name ?? "The attachment"} is empty.`);
  return { bytes, name, mimeType: stated ?? sniffMime(bytes, name) };
}

function checkSize(size: number, maxBytes: number, name = "The attachment"): void {
  if (size > maxBytes)
    throw new AntiphonError("BAD_REQUEST", `${name} is larger than ${maxBytes} bytes. Raise \`maxBytes\` to send it.`);
}

function checkUrl(url: string, maxBytes: number): string {
  if (/^data:/i.test(url)) checkSize(Math.floor((url.length * 3) / 4), maxBytes);
  else if (!URL.canParse(url)) throw new AntiphonError("BAD_REQUEST", `"${url.slice(0, 200)}" is not a URL.`);
  return url;
}

const dataUrl = ({ bytes, mimeType }: Loaded): string => `data:${mimeType};base64,${encodeBase64(bytes)}`;

function expectKind({ mimeType, name }: Loaded, kind: string): void {
  if (!mimeType.startsWith(`${kind}/`))
    throw new AntiphonError(
      "BAD_REQUEST",
      `${name ?? "The attachment"} has the type "${mimeType}" instead of a type that begins with "${kind}/".`,
    );
}

/**
 * Creates an image attachment.
 *
 * @example
 * await agent.send(user([{ type: "input_text", text: "What is this?" }, await image("photo.jpg", { detail: "low" })]));
 */
export async function image(source: MediaSource, options: ImageOptions = {}): Promise<InputImage> {
  checkOptions("image", options, imageRules);
  const media = await load(source, options);
  const detail = options.detail ? { detail: options.detail } : {};
  if ("file_id" in media) return { type: "input_image", file_id: media.file_id, ...detail };
  if ("url" in media) return { type: "input_image", image_url: media.url, ...detail };
  expectKind(media, "image");
  return { type: "input_image", image_url: dataUrl(media), ...detail };
}

/** Creates a file attachment with its name and MIME type: PDF, text, tables, or any other file. */
export async function file(source: MediaSource, options: FileOptions = {}): Promise<InputFile> {
  checkOptions("file", options, fileRules);
  const media = await load(source, options);
  const named = options.name ? { filename: options.name } : {};
  if ("file_id" in media) return { type: "input_file", file_id: media.file_id, ...named };
  if ("bytes" in media) {
    const filename = options.name ?? media.name ?? `file.${extensionOf(media.mimeType)}`;
    return { type: "input_file", filename, file_data: dataUrl(media) };
  }
  if (!/^data:/i.test(media.url)) return { type: "input_file", file_url: media.url, ...named };
  const mimeType = /^data:([^;,]*)/i.exec(media.url)?.[1] ?? "";
  return { type: "input_file", filename: options.name ?? `file.${extensionOf(mimeType)}`, file_data: media.url };
}

const soundFormats: ReadonlyMap<string, string> = new Map([
  ["x-wav", "wav"],
  ["mpeg", "mp3"],
  ["mp4", "m4a"],
]);

/** What wires call a kind of sound; recorders add the codec to the type. */
function soundFormat(mimeType: string): string {
  const [, kind = "wav"] = /^audio\/([^;]+)/i.exec(mimeType) ?? [];
  return soundFormats.get(kind.toLowerCase()) ?? kind.toLowerCase();
}

/** Creates an audio attachment. It travels as bytes: no wire takes the URL of a sound. */
export async function audio(source: MediaSource, options: MediaOptions = {}): Promise<InputAudio> {
  checkOptions("audio", options, mediaRules);
  const media = await load(source, options);
  if ("bytes" in media) {
    expectKind(media, "audio");
    return { type: "input_audio", input_audio: { data: encodeBase64(media.bytes), format: soundFormat(media.mimeType) } };
  }
  const [, mimeType, data] = ("url" in media && /^data:([^;,]*)[^,]*;base64,(.*)$/is.exec(media.url)) || [];
  if (data === undefined)
    throw new AntiphonError("UNSUPPORTED", "Audio cannot be sent by URL or file id. Pass bytes, a path or a data URL.");
  return { type: "input_audio", input_audio: { data, format: soundFormat(mimeType ?? "") } };
}

/** Creates a video attachment. */
export async function video(source: MediaSource, options: MediaOptions = {}): Promise<InputVideo> {
  checkOptions("video", options, mediaRules);
  const media = await load(source, options);
  if ("file_id" in media) throw new AntiphonError("UNSUPPORTED", "Video cannot be sent by file id. Pass bytes, a path or a URL.");
  if ("url" in media) return { type: "input_video", video_url: media.url };
  expectKind(media, "video");
  return { type: "input_video", video_url: dataUrl(media) };
}
