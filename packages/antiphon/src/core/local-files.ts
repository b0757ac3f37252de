import { AntiphonError } from "./error.ts";

// What stands in for a file system where there is none.
const noFiles = (what: string): AntiphonError => new AntiphonError("UNSUPPORTED", `There is no file system here ${what}.`);

/** Where there is no file system, nothing can be saved. */
export const saveFile = async (path: string, _bytes: ReadableStream<Uint8Array>): Promise<void> => {
  throw noFiles(`to save ${path} to: use \`bytes()\` or \`stream()\``);
};

/** Where there is no file system, nothing can be read. */
export const readFile = async (place: string, _maxBytes: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> => {
  throw noFiles(`to read ${place} from: pass its bytes`);
};
