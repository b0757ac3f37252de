import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const library = (path: string): string => join(root, "packages/antiphon/src", path);

const wires = ["responses", "chat", "messages", "gemini", "blocks"];

/** A program for a child process, made from TypeScript, since not every Node runs that. */
export interface Program {
  path: string;
  remove(): Promise<void>;
}

/** Makes a program from a source file next to a test: `await bundle(new URL("child.ts", import.meta.url))`. */
export async function bundle(source: URL): Promise<Program> {
  // Inside the workspace, so that it finds the packages that the sources import.
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "antiphon-test-"));
  const path = join(folder, "program.mjs");
  const build = await rolldown({
    input: fileURLToPath(source),
    platform: "node",
    external: (name) => !/^(antiphon|#|\.|\/)/.test(name),
    resolve: {
      alias: {
        ...Object.fromEntries(wires.map((wire) => [`antiphon/codecs/${wire}`, library(`codecs/${wire}/index.ts`)])),
        "antiphon/testing": library("testing/index.ts"),
        "antiphon/node": library("node/index.ts"),
        antiphon: library("index.ts"),
        "#transport": library("node/http-transport.ts"),
        "#platform": library("node/platform.ts"),
        "#save": library("node/save-file.ts"),
      },
    },
  });
  await build.write({ file: path, format: "esm", codeSplitting: false });
  await build.close();
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
