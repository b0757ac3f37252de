import { decodeBase64 } from "#platform";
import { toAntiphonError, type AntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { extensionOf, mimeByName, sniffMime } from "../core/mime.ts";
import type { ResponseResource } from "../model/index.ts";
import type { DownloadedFile } from "./container-files.ts";
import { isContainerGone } from "./container-gone.ts";
import type { DeliverableOptions, Deliverables } from "./deliverables.ts";
import { Delivered } from "./delivered.ts";
import { FileNames } from "./file-names.ts";
import { findFiles, type FoundFile } from "./found-files.ts";

type Settings = DeliverableOptions & Required<Pick<DeliverableOptions, "maxBytes" | "lazy">>;

/** The work of `deliverables`. */
export async function deliver(response: Pick<ResponseResource, "output">, options: DeliverableOptions): Promise<Deliverables> {
  const { maxBytes = 64 * 1024 * 1024, maxFiles = 32, concurrency = 4, lazy = false } = options;
  const settings: Settings = { ...options, maxBytes, lazy };
  const { files, problems } = findFiles(response);
  const taken = files.slice(0, maxFiles);
  for (const { path } of files.slice(maxFiles))
    problems.push({ path, reason: `The response has more than ${maxFiles} files. Raise \`maxFiles\` to get all of them.` });
  const fetched = await inPool(taken, concurrency, (file) => contentsOf(file, settings));
  return named(taken, fetched, problems);
}

/** Names are given in the order of the output, whichever file came first. */
function named(taken: readonly FoundFile[], fetched: readonly (Contents | string)[], problems: Loss[]): Deliverables {
  const names = new FileNames();
  const files = taken.flatMap((file, index) => {
    const contents = fetched[index]!;
    if (typeof contents === "string") {
      problems.push({ path: file.path, reason: contents });
      return [];
    }
    const name = names.take(
      contents.name ?? file.name,
      contents.name !== undefined || file.named,
      extensionOf(contents.mimeType),
    );
    return [new Delivered(name, contents.mimeType, file.source, contents.bytes)];
  });
  return { files, problems };
}

/** What a file holds, at hand or on demand. */
interface Contents {
  bytes: () => Promise<Uint8Array>;
  mimeType: string;
  name?: string;
}

/** A file's contents, or a sentence saying why it cannot be had. */
async function contentsOf(file: FoundFile, settings: Settings): Promise<Contents | string> {
  if (file.data !== undefined) return held(file.data, file, settings);
  const { download, lazy, signal, maxBytes } = settings;
  if (!download) return `"${file.name}" was not downloaded because no \`download\` function was passed.`;
  const fetch = async (): Promise<DownloadedFile> => download(file.reference!, { maxBytes, ...(signal && { signal }) });
  if (lazy) {
    const bytes = async (): Promise<Uint8Array> => (await fetch()).bytes;
    return { bytes, mimeType: mimeByName(file.name) ?? "application/octet-stream" };
  }
  try {
    const { bytes, mimeType, name } = await fetch();
    return { bytes: async () => bytes, mimeType: typeOf(bytes, name ?? file.name, mimeType), ...(name && { name }) };
  } catch (thrown) {
    const error = toAntiphonError(thrown, "CONNECTION_ERROR");
    if (signal?.aborted) throw error;
    return story(file, error);
  }
}

// What sniffing says of files that begin like no kind that it knows.
const vague: ReadonlySet<string> = new Set(["application/octet-stream", "text/plain"]);

/** The content tells what a file is; what is said of it counts only where the content could be anything. */
function typeOf(bytes: Uint8Array, name: string, said: string | undefined): string {
  const seen = sniffMime(bytes, name);
  return vague.has(seen) && said && said !== "application/octet-stream" ? said : seen;
}

function held(data: string, { name, mimeType, isText }: FoundFile, { maxBytes }: Settings): Contents | string {
  if (data.length * 0.75 > maxBytes + 2) return `The ${name} is larger than ${maxBytes} bytes. Raise \`maxBytes\` to get it.`;
  const bytes = isText ? decodePercent(data) : decodeBase64(data);
  if (!bytes) return `The ${name} is not ${isText ? "a valid data URL" : "valid base64"}.`;
  return { bytes: async () => bytes, mimeType: typeOf(bytes, "", mimeType) };
}

function decodePercent(text: string): Uint8Array | undefined {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch {
    return undefined;
  }
}

const story = ({ name }: FoundFile, error: AntiphonError): string =>
  isContainerGone(error)
    ? `"${name}" is no longer available because its container has expired.`
    : `"${name}" could not be downloaded: ${error.message}`;

/** Works on a list, several at a time; the results are in the list's order. */
async function inPool<T, R>(list: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < list.length; at = next++) results[at] = await work(list[at]!);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(width || 1, list.length)) }, worker));
  return results;
}
