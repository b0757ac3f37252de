import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

/** A package's folder, after making sure that it is built. */
export function builtPackage(name: string): string {
  const folder = join(root, "packages", name);
  if (!existsSync(join(folder, "dist"))) throw new Error(`packages/${name} is not built: run \`npm run build\` first.`);
  return folder;
}

/** What an ES module prints, run by Node from the root, where packages resolve as users see them. */
export const runModule = (code: string, ...flags: string[]): string =>
  execFileSync(process.execPath, [...flags, "--input-type=module", "-e", code], { cwd: root, encoding: "utf8" });

/** A field's value by conditions: `{ "node": "./a.js", "default": "./b.js" }`. */
export type Conditions = Record<string, string>;

/** The part of the library's manifest that says what is where. */
export interface Manifest {
  exports: Record<string, string | Conditions>;
  imports: Record<string, Conditions>;
}

/** The library's manifest. */
export const libraryManifest = (): Manifest => JSON.parse(readFileSync(join(root, "packages/antiphon/package.json"), "utf8"));
