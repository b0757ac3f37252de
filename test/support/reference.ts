import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const beside = fileURLToPath(new URL("../../../shared", import.meta.url));

/**
 * Returns the folder with the recordings and the specification, and the first file that is missing in it. The folder is
 * not part of this repository. It is `../shared`, unless `ANTIPHON_REFERENCE` names another one.
 */
export function findReference(): { folder: string; missing: string | undefined } {
  const folder = process.env["ANTIPHON_REFERENCE"] || beside;
  const files = ["recordings/INDEX.json", "spec/openapi.json"].map((path) => `${folder}/${path}`);
  return { folder, missing: files.find((file) => !existsSync(file)) };
}

/**
 * Returns a file of the reference folder. The configuration of vitest passes the folder to reference tests only, so that
 * no other test depends on it.
 */
export function referenceFile(path: string): URL {
  const folder = process.env["ANTIPHON_REFERENCE"];
  if (!folder) throw new Error(`Only *.reference.test.ts files can read ${path}, which is not part of this repository.`);
  return new URL(path, pathToFileURL(`${folder}/`));
}
