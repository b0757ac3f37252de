/** The parts of a base64 data URL. */
export interface InlineData {
  mediaType: string;
  /** Base64. */
  data: string;
}

/** Takes a base64 data URL apart; anything else gives nothing. */
export function parseDataUrl(url: string): InlineData | undefined {
  const match = /^data:([^;,]*)[^,]*?(;base64)?,/i.exec(url.slice(0, 256));
  if (!match?.[2]) return undefined;
  return { mediaType: match[1] || "application/octet-stream", data: url.slice(match[0].length) };
}

/** The data URL of inline data. */
export const toDataUrl = ({ mediaType, data }: InlineData): string => `data:${mediaType};base64,${data}`;

// The first characters of base64 text stand for the first bytes of a file.
const magic: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
  ["JVBERi", "application/pdf"],
  ["SUQz", "audio/mpeg"],
  // Sound without tags begins with a frame: eleven bits of ones, then the version and the layer.
  ["//M", "audio/mpeg"],
  ["//N", "audio/mpeg"],
  ["//s", "audio/mpeg"],
  ["//t", "audio/mpeg"],
  ["//u", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["ZkxhQ", "audio/flac"],
];

/** The media type that base64 data shows by its first bytes. */
export function sniffMediaType(base64: string): string | undefined {
  const found = magic.find(([start]) => base64.startsWith(start))?.[1];
  // Two kinds of file share one container; these characters stand for the end of its second name.
  return found === "image/webp" && base64.startsWith("QVZF", 12) ? "audio/wav" : found;
}
