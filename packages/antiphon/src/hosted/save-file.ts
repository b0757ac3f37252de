import { AntiphonError } from "../core/error.ts";

/** Where there is no file system, nothing can be saved. */
export const saveFile = async (path: string, _bytes: ReadableStream<Uint8Array>): Promise<void> => {
  throw new AntiphonError("UNSUPPORTED", `There is no file system here to save ${path} to: use \`bytes()\` or \`stream()\`.`);
};
