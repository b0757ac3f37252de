import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const library = (path: string): string => join(root, "packages/antiphon/src", path);

/** A program for a child process, made from TypeScript, since not every Node runs that. */
export interface Program {
  path: string;
  remove(): Promise<void>;
}

/** Makes a program of the chat from its sources. */
export async function bundleChat(): Promise<Program> {
  const cache = join(root, "node_modules/.cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "antiphon-chat-"));
  const path = join(folder, "chat.mjs");
  const build = await rolldown({
    input: fileURLToPath(new URL("child.ts", import.meta.url)),
    platform: "node",
    external: [/^node:/, "ws", /^@modelcontextprotocol\//],
    resolve: {
      alias: {
        "antiphon/node": library("node/index.ts"),
        antiphon: library("index.ts"),
        "#transport": library("node/http-transport.ts"),
        "#platform": library("node/platform.ts"),
      },
    },
  });
  await build.write({ file: path, format: "esm", codeSplitting: false });
  await build.close();
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}
