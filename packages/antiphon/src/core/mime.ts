/** What a file is, how it begins, and how its name ends. */
interface Kind {
  mimeType: string;
  /** The first is the one that a file without a name is given. */
  extensions: readonly string[];
  /** Bytes at an offset, as Latin-1 text: all must be there. */
  magic?: readonly (readonly [offset: number, bytes: string])[];
}

const zip: Kind["magic"] = [[0, "PK\x03\x04"]];

// In the order in which they are tried: narrower beginnings stand before wider ones.
const kinds: readonly Kind[] = [
  { mimeType: "image/png", extensions: ["png"], magic: [[0, "\x89PNG\r\n\x1a\n"]] },
  { mimeType: "image/jpeg", extensions: ["jpg", "jpeg"], magic: [[0, "\xff\xd8\xff"]] },
  { mimeType: "image/gif", extensions: ["gif"], magic: [[0, "GIF8"]] },
  {
    mimeType: "image/webp",
    extensions: ["webp"],
    magic: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  { mimeType: "image/avif", extensions: ["avif"], magic: [[4, "ftypavif"]] },
  { mimeType: "image/heic", extensions: ["heic", "heif"], magic: [[4, "ftyphei"]] },
  {
    mimeType: "image/bmp",
    extensions: ["bmp"],
    magic: [
      [0, "BM"],
      [6, "\0\0\0\0"],
    ],
  },
  { mimeType: "image/tiff", extensions: ["tif", "tiff"], magic: [[0, "II*\0"]] },
  { mimeType: "image/tiff", extensions: [], magic: [[0, "MM\0*"]] },
  { mimeType: "image/svg+xml", extensions: ["svg"] },
  { mimeType: "application/pdf", extensions: ["pdf"], magic: [[0, "%PDF-"]] },
  {
    mimeType: "audio/wav",
    extensions: ["wav"],
    magic: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
  { mimeType: "audio/mpeg", extensions: ["mp3"], magic: [[0, "ID3"]] },
  { mimeType: "audio/ogg", extensions: ["ogg", "opus"], magic: [[0, "OggS"]] },
  { mimeType: "audio/flac", extensions: ["flac"], magic: [[0, "fLaC"]] },
  { mimeType: "audio/mp4", extensions: ["m4a"], magic: [[4, "ftypM4A"]] },
  { mimeType: "audio/L16", extensions: ["pcm"] },
  { mimeType: "video/quicktime", extensions: ["mov"], magic: [[4, "ftypqt"]] },
  { mimeType: "video/mp4", extensions: ["mp4"], magic: [[4, "ftyp"]] },
  { mimeType: "video/webm", extensions: ["webm"], magic: [[0, "\x1a\x45\xdf\xa3"]] },
  { mimeType: "application/gzip", extensions: ["gz", "tgz"], magic: [[0, "\x1f\x8b\x08"]] },
  { mimeType: "application/zip", extensions: ["zip"], magic: zip },
  { mimeType: officeType("wordprocessingml.document"), extensions: ["docx"], magic: zip },
  { mimeType: officeType("spreadsheetml.sheet"), extensions: ["xlsx"], magic: zip },
  { mimeType: officeType("presentationml.presentation"), extensions: ["pptx"], magic: zip },
  { mimeType: "application/vnd.apache.parquet", extensions: ["parquet"], magic: [[0, "PAR1"]] },
  { mimeType: "application/vnd.sqlite3", extensions: ["sqlite", "db"], magic: [[0, "SQLite format 3\0"]] },
  { mimeType: "application/json", extensions: ["json"] },
  { mimeType: "text/csv", extensions: ["csv"] },
  { mimeType: "text/tab-separated-values", extensions: ["tsv"] },
  { mimeType: "text/html", extensions: ["html", "htm"] },
  { mimeType: "text/markdown", extensions: ["md", "markdown"] },
  { mimeType: "text/css", extensions: ["css"] },
  { mimeType: "text/javascript", extensions: ["js", "mjs"] },
  { mimeType: "text/x-python", extensions: ["py"] },
  { mimeType: "application/xml", extensions: ["xml"] },
  { mimeType: "application/yaml", extensions: ["yaml", "yml"] },
  { mimeType: "text/plain", extensions: ["txt", "log"] },
  { mimeType: "application/octet-stream", extensions: ["bin"] },
];

function officeType(name: string): string {
  return `application/vnd.openxmlformats-officedocument.${name}`;
}

const byExtension: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap((kind) => kind.extensions.map((extension) => [extension, kind] as const)),
);

const beginsLike = (bytes: Uint8Array, { magic }: Kind): boolean =>
  magic?.every(([offset, text]) => {
    for (let at = 0; at < text.length; at += 1) if (bytes[offset + at] !== text.charCodeAt(at)) return false;
    return true;
  }) ?? false;

// Sound without tags begins with a frame: eleven bits of ones, then a version that exists, and the third layer.
const isFrame = ([first, second = 0]: Uint8Array): boolean =>
  first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) === 0x02;

// Tabs, line ends, form feeds and the escapes of terminals are text.
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32 && byte !== 27);
const looked = 4_096;

/** Whether the beginning of a file is text: UTF-8 without control characters that text has no use for. */
function isText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, looked);
  try {
    // A character that the limit cut in two is no reason to call it binary.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return !head.some(isControl);
  } catch {
    return false;
  }
}

function textType(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().toLowerCase();
  if (start.startsWith("<svg") || /^<\?xml[^>]*>\s*(<!--.*?-->\s*)?<svg/s.test(start)) return "image/svg+xml";
  return start.startsWith("<!doctype html") || start.startsWith("<html") ? "text/html" : "text/plain";
}

/** Returns the MIME type for a file name's extension. */
export const mimeByName = (name: string): string | undefined =>
  byExtension.get(/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "")?.mimeType;

/** Returns the usual file extension of a MIME type without a dot, or `bin`. */
export function extensionOf(mimeType: string): string {
  const bare = mimeType.split(";")[0];
  return kinds.find((kind) => kind.mimeType === bare && kind.extensions.length > 0)?.extensions[0] ?? "bin";
}

/**
 * Detects a file's MIME type from its content, and from its name if the content is ambiguous.
 *
 * @example
 * const type = sniffMime(bytes, "plot.png"); // "image/png", if that is what it is
 */
export function sniffMime(bytes: Uint8Array, name = ""): string {
  const named = mimeByName(name);
  const namedKind = kinds.find(({ mimeType }) => mimeType === named);
  if (namedKind?.magic && beginsLike(bytes, namedKind)) return namedKind.mimeType;
  const found = kinds.find((kind) => beginsLike(bytes, kind))?.mimeType;
  if (found) return found;
  if (isFrame(bytes)) return "audio/mpeg";
  if (bytes.length === 0) return named ?? "application/octet-stream";
  if (!isText(bytes)) return "application/octet-stream";
  return named && !namedKind?.magic && named !== "application/octet-stream" ? named : textType(bytes);
}
