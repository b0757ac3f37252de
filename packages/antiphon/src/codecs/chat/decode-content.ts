import type { InputContent } from "../../model/index.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import { sniffMediaType } from "../shared/media.ts";
import { audioFormat } from "./audio-format.ts";
import { listAt, objectAt, refuse, stringAt } from "./check.ts";

type Decode = (part: JsonObject, param: string) => InputContent;

const details = ["low", "high", "auto"] as const;

const parts: Readonly<Record<string, Decode>> = {
  text: ({ text }, param) => ({ type: "input_text", text: stringAt(text, `${param}.text`) }),
  image_url: ({ image_url }, param) => {
    // Some clients give the URL alone.
    const { url, detail } = typeof image_url === "string" ? { url: image_url } : objectAt(image_url, `${param}.image_url`);
    const known = details.find((word) => word === detail);
    return { type: "input_image", image_url: stringAt(url, `${param}.image_url.url`), ...(known ? { detail: known } : {}) };
  },
  input_audio: ({ input_audio }, param) => decodeAudio(input_audio, `${param}.input_audio`),
  file: ({ file }, param) => decodeFile(objectAt(file, `${param}.file`), `${param}.file`),
  document_url: (part, param) => decodeDocument(part, param),
  video_url: ({ video_url }, param) => ({
    type: "input_video",
    video_url: stringAt(isObject(video_url) ? video_url["url"] : video_url, `${param}.video_url.url`),
  }),
};

/** Sound with its format; where a client gives the bytes alone, they must show it. */
function decodeAudio(audio: unknown, param: string): InputContent {
  const bare = typeof audio === "string" ? sniffMediaType(audio) : undefined;
  const { data, format } = bare ? { data: audio, format: audioFormat(bare) } : objectAt(audio, param);
  const input_audio = { data: stringAt(data, `${param}.data`), format: stringAt(format, `${param}.format`) };
  return { type: "input_audio", input_audio };
}

function decodeFile({ file_data, file_id, filename }: JsonObject, param: string): InputContent {
  if (typeof file_id === "string") return { type: "input_file", file_id, ...named(filename) };
  return fileFrom(stringAt(file_data, `${param}.file_data`), filename);
}

/** Mistral's form of a file: a URL, or bytes as a data URL. */
function decodeDocument({ document_url, document_name }: JsonObject, param: string): InputContent {
  const url = isObject(document_url) ? document_url["url"] : document_url;
  return fileFrom(stringAt(url, `${param}.document_url`), document_name);
}

const fileFrom = (data: string, filename: unknown): InputContent =>
  /^https?:\/\//i.test(data)
    ? { type: "input_file", file_url: data, ...named(filename) }
    : { type: "input_file", file_data: data, ...named(filename) };

const named = (filename: unknown): { filename?: string } => (typeof filename === "string" ? { filename } : {});

/** A user's or a tool's content. */
export function decodeContent(content: unknown, param: string): string | InputContent[] {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return refuse(param, "a string or a list of parts");
  return content.map((raw: unknown, index) => {
    const at = `${param}[${index}]`;
    const part = objectAt(raw, at);
    const type = stringAt(part["type"], `${at}.type`);
    const decode = own(parts, type);
    return decode ? decode(part, at) : refuse(`${at}.type`, `one of ${Object.keys(parts).join(", ")}`);
  });
}

/** The text of content that may hold nothing else. */
export function decodeText(content: unknown, param: string): string {
  if (typeof content === "string") return content;
  return listAt(content, param)
    .map((raw, index) => stringAt(objectAt(raw, `${param}[${index}]`)["text"], `${param}[${index}].text`))
    .join("");
}
