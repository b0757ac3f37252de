import { own } from "../../model/guards.ts";
import type { Loss } from "../../core/loss.ts";
import type { InputAudio, InputContent, InputFile, InputImage, InputText, InputVideo } from "../../model/index.ts";
import { parseDataUrl, sniffMediaType } from "../shared/media.ts";
import { audioFormat } from "./audio-format.ts";
import type { ChatDialect, Medium } from "./dialect.ts";

/** A part of a message's content on the wire. */
export type WirePart = { type: string; [field: string]: unknown };

/** What encoding a part may look at, and where it tells what is lost. */
interface Place {
  dialect: ChatDialect;
  losses: Loss[];
  path: string;
}

type Encoders = { [T in InputContent["type"]]: (part: Extract<InputContent, { type: T }>, place: Place) => WirePart | undefined };

const encoders: Encoders = {
  input_text: ({ text }: InputText) => (text ? { type: "text", text } : undefined),
  input_image: encodeImage,
  input_file: encodeFile,
  input_video: ({ video_url }: InputVideo, place) =>
    takes("video", place) ? { type: "video_url", video_url: { url: video_url } } : undefined,
  input_audio: encodeAudio,
};

/** Parts in the wire's words; empty text is left out, and what the server does not take is a loss. */
export function encodeParts(content: readonly InputContent[], dialect: ChatDialect, path: string, losses: Loss[]): WirePart[] {
  return content.flatMap((part, index) => {
    const place = { dialect, losses, path: `${path}.content[${index}]` };
    if (!Object.hasOwn(encoders, part.type))
      return lose(place, `The Chat Completions API does not support \`${part.type}\` content.`) ?? [];
    // The table pairs each type with its own encoder, which is more than the type system can follow.
    const encode = encoders[part.type] as (part: InputContent, place: Place) => WirePart | undefined;
    return encode(part, place) ?? [];
  });
}

/** Parts as a message's content: text alone as a string, which every server takes. */
export function contentOf(parts: readonly WirePart[]): string | readonly WirePart[] {
  return parts.every((part) => part.type === "text") ? parts.map((part) => part["text"]).join("") : parts;
}

const mediumTypes: Readonly<Record<string, Medium>> = {
  image_url: "image",
  input_audio: "audio",
  file: "file",
  document_url: "file",
  video_url: "video",
};

/** What a part holds, or nothing where it is text. */
export const mediumOf = ({ type }: WirePart): Medium | undefined => own(mediumTypes, type);

function lose({ losses, path }: Place, reason: string): undefined {
  losses.push({ path, reason });
}

function takes(medium: Medium, place: Place): boolean {
  const taken = place.dialect.media.includes(medium);
  if (!taken) lose(place, `The provider does not support ${medium} input.`);
  return taken;
}

function encodeImage({ image_url, detail }: InputImage, place: Place): WirePart | undefined {
  if (!takes("image", place)) return undefined;
  if (!image_url) return lose(place, "The Chat Completions API does not accept images by file id; pass a URL or the bytes.");
  if (detail === "original")
    lose({ ...place, path: `${place.path}.detail` }, 'The Chat Completions API does not support the detail "original".');
  const known = detail && detail !== "original" ? { detail } : {};
  return { type: "image_url", image_url: { url: image_url, ...known } };
}

function encodeAudio({ input_audio }: InputAudio, place: Place): WirePart | undefined {
  if (!takes("audio", place)) return undefined;
  return { type: "input_audio", input_audio: place.dialect.audioForm === "bare" ? input_audio.data : input_audio };
}

/** Files by what they are: pictures, sound and video have parts of their own. */
function encodeFile(part: InputFile, place: Place): WirePart | undefined {
  const { filename, file_data, file_id, file_url } = part;
  if (file_data) return encodeBytes(file_data, filename, place);
  if (!takes("file", place)) return undefined;
  const named = filename === undefined ? {} : { filename };
  if (file_id) return { type: "file", file: { file_id, ...named } };
  if (file_url && place.dialect.fileUrls === "document_url") return documentOf(file_url, filename);
  if (file_url && place.dialect.fileUrls === "file_data") return { type: "file", file: { file_data: file_url, ...named } };
  return lose(place, "The provider does not accept files by URL; pass the bytes or a file id.");
}

function encodeBytes(file_data: string, filename: string | undefined, place: Place): WirePart | undefined {
  const inline = parseDataUrl(file_data);
  const mediaType = inline?.mediaType ?? sniffMediaType(file_data) ?? "";
  const data = inline?.data ?? file_data;
  if (mediaType.startsWith("image/"))
    return encodeImage({ type: "input_image", image_url: inline ? file_data : `data:${mediaType};base64,${data}` }, place);
  if (mediaType.startsWith("audio/"))
    return encodeAudio({ type: "input_audio", input_audio: { data, format: audioFormat(mediaType) } }, place);
  if (mediaType.startsWith("video/")) return encoders.input_video({ type: "input_video", video_url: file_data }, place);
  if (!takes("file", place)) return undefined;
  if (place.dialect.fileUrls === "document_url")
    return documentOf(inline ? file_data : `data:${mediaType || "application/octet-stream"};base64,${data}`, filename);
  return { type: "file", file: { file_data, ...(filename === undefined ? {} : { filename }) } };
}

const documentOf = (document_url: string, filename: string | undefined): WirePart => ({
  type: "document_url",
  document_url,
  ...(filename === undefined ? {} : { document_name: filename }),
});
