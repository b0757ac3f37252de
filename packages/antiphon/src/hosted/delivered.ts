import { saveFile } from "#platform";
import type { ResultFile } from "./result-file.ts";

/** A file whose contents are read at most once; a reading that failed is tried again. */
export class Delivered implements ResultFile {
  readonly name: string;
  readonly mimeType: string;
  readonly source: ResultFile["source"];
  readonly #read: () => Promise<Uint8Array>;
  #contents: Promise<Uint8Array> | undefined;

  constructor(name: string, mimeType: string, source: ResultFile["source"], read: () => Promise<Uint8Array>) {
    this.name = name;
    this.mimeType = mimeType;
    this.source = source;
    this.#read = read;
  }

  bytes(): Promise<Uint8Array> {
    if (this.#contents) return this.#contents;
    const contents = this.#read();
    this.#contents = contents;
    contents.catch(() => (this.#contents = undefined));
    return contents;
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull: async (controller) => {
        controller.enqueue(await this.bytes());
        controller.close();
      },
    });
  }

  save(path: string): Promise<void> {
    return saveFile(path, this.stream());
  }

  /** What a log should show of it. */
  toJSON(): object {
    const { name, mimeType, source } = this;
    return { name, mimeType, source };
  }
}
