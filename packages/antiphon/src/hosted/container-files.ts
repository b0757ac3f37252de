import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";
import { checkUpstream } from "../transport/connect-rules.ts";
import type { FetchJsonOptions } from "../transport/fetch-json.ts";
import type { Upstream, WireUpstream } from "../transport/upstream.ts";

/** A file that a provider keeps: in a container, or among the account's files. */
export interface FileReference {
  file_id: string;
  container_id?: string;
  /** Headers without which the provider does not give it. */
  headers?: Record<string, string>;
}

/** A file as its provider gave it. */
export interface DownloadedFile {
  bytes: Uint8Array;
  mimeType?: string;
  name?: string;
}

/** Gets a file of a provider's. */
export type Download = (reference: FileReference, options: { maxBytes: number; signal?: AbortSignal }) => Promise<DownloadedFile>;

/** How files are asked for. */
export type ContainerFilesOptions = Omit<FetchJsonOptions, "method" | "body" | "signal">;

/**
 * Downloads files from a provider's containers. Redirects are not followed.
 *
 * @example
 * const { files } = await deliverables(response, { download: containerFiles(provider("openai")) });
 */
export function containerFiles(upstream: Upstream, options: ContainerFilesOptions = {}): Download {
  checkUpstream("containerFiles", upstream);
  if ("respond" in upstream)
    return async () => {
      throw new AntiphonError("UNSUPPORTED", `The provider ${upstream.name} does not store files.`);
    };
  return (reference, call) => download(upstream, reference, { ...options, ...call });
}

async function download(
  upstream: WireUpstream,
  { container_id, file_id, headers }: FileReference,
  options: ContainerFilesOptions & { maxBytes: number; signal?: AbortSignal },
): Promise<DownloadedFile> {
  const file = `/files/${step(file_id)}`;
  const asking = { ...options, headers: { ...headers, ...options.headers } };
  const path = container_id === undefined ? file : `/containers/${step(container_id)}${file}`;
  const { fetchBytes } = await import("../transport/fetch-bytes.ts");
  const { bytes, mimeType } = await fetchBytes(upstream, `${path}/content`, asking);
  const name = container_id === undefined ? await nameOf(upstream, path, asking) : undefined;
  return { bytes, ...(mimeType && { mimeType }), ...(name && { name }) };
}

/** An account's file is cited without its name, which is told apart; a file without one is still a file. */
async function nameOf(upstream: WireUpstream, path: string, options: FetchJsonOptions): Promise<string | undefined> {
  const { fetchDocument } = await import("../transport/fetch-document.ts");
  const facts = await fetchDocument(upstream, path, options).catch(() => undefined);
  return isObject(facts) && typeof facts["filename"] === "string" ? facts["filename"] : undefined;
}

/** An id as a step of a URL's path; ids are short words, and nothing else may choose where the key is sent. */
function step(id: string): string {
  if (/^[\w-]{1,200}$/.test(id)) return id;
  throw new AntiphonError("PROTOCOL", `"${id.slice(0, 80)}" is not the id of a file or container.`);
}
