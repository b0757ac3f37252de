import type { Loss } from "../core/loss.ts";
import { checkOptions, checkResponse, func, limit, signal, yesOrNo, type Rules } from "../core/options.ts";
import type { ResponseResource } from "../model/index.ts";
import type { Download } from "./container-files.ts";
import type { ResultFile } from "./result-file.ts";

/** Which files are fetched, and how. */
export interface DeliverableOptions {
  /** Gets files that the provider keeps: `containerFiles(provider)`. Without it only what the answer itself holds is delivered. */
  download?: Download;
  /** The largest file that is taken; 64 MiB where nothing is said. */
  maxBytes?: number;
  /** How many files are taken; 32 where nothing is said. */
  maxFiles?: number;
  /** How many are downloaded at the same time; 4 where nothing is said. */
  concurrency?: number;
  /** Downloads a file when it is first read, not before. Its type is then told by its name. */
  lazy?: boolean;
  signal?: AbortSignal;
}

export const deliverableRules: Rules<DeliverableOptions> = {
  download: func,
  maxBytes: limit(0),
  maxFiles: limit(0),
  concurrency: limit(1),
  lazy: yesOrNo,
  signal,
};

/** The files of an answer, and what became of those that are missing. */
export interface Deliverables {
  files: ResultFile[];
  problems: Loss[];
}

/**
 * Returns the files of an answer: images, audio, and files that code created in its container. What cannot be had is
 * told in `problems`; only stopping by `signal` rejects.
 *
 * @example
 * const { files, problems } = await deliverables(response, { download: containerFiles(provider("openai")) });
 * for (const file of files) await file.save(file.name);
 */
export async function deliverables(
  response: Pick<ResponseResource, "output">,
  options: DeliverableOptions = {},
): Promise<Deliverables> {
  checkResponse("deliverables", response);
  checkOptions("deliverables", options, deliverableRules);
  const { deliver } = await import("./deliver.ts");
  return deliver(response, options);
}
