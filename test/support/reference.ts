import { pathToFileURL } from "node:url";

/**
 * Returns a file of the reference folder, which holds the recordings and the specification and is not part of this repository.
 * `vitest.config.ts` names that folder for `npm run test:reference` only, so no other test can come to depend on it.
 */
export function referenceFile(path: string): URL {
  const folder = process.env["ANTIPHON_REFERENCE"];
  if (!folder) throw new Error(`Only *.reference.test.ts files can read ${path}, which is not part of this repository.`);
  return new URL(path, pathToFileURL(`${folder}/`));
}
