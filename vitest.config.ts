import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`./packages/antiphon/src/${path}`, import.meta.url));
const gateway = (path: string): string => fileURLToPath(new URL(`./packages/gateway/src/${path}`, import.meta.url));
const hour = 3_600_000;

/** Returns the folder with the recordings and the specification, which are not part of this repository. */
function referenceFolder(): string {
  const folder = process.env["ANTIPHON_REFERENCE"] || fileURLToPath(new URL("../shared", import.meta.url));
  const missing = ["recordings/INDEX.json", "spec/openapi.json"].find((path) => !existsSync(`${folder}/${path}`));
  if (missing === undefined) return folder;
  throw new Error(
    `Reference tests need the recordings and the specification, but ${folder}/${missing} does not exist. ` +
      "Set ANTIPHON_REFERENCE to the folder that contains `recordings/` and `spec/`.",
  );
}

// `npm test` runs everything but `*.reference.test.ts`; `--mode reference` runs only those. `--mode soak` runs the same files as
// `npm test`, with many more cases.
export default defineConfig(({ mode }) => {
  const isReference = mode === "reference";
  const files = isReference ? "*.reference.test.ts" : "*.test.ts";
  const isSoak = mode === "soak" || process.env["ANTIPHON_SOAK"] !== undefined;
  return {
    // Unit tests run on the sources; tests of child processes (`test/`, `packages/cli/test/`) need the build.
    resolve: {
      alias: [
        { find: "#transport", replacement: source("node/http-transport.ts") },
        { find: "#platform", replacement: source("node/platform.ts") },
        { find: /^antiphon\/codecs\/(\w+)$/, replacement: source("codecs/$1/index.ts") },
        { find: /^antiphon\/(\w+)$/, replacement: source("$1/index.ts") },
        { find: "antiphon-gateway/node", replacement: gateway("node.ts") },
        { find: /^antiphon-gateway$/, replacement: gateway("index.ts") },
        { find: /^antiphon$/, replacement: source("index.ts") },
      ],
    },
    test: {
      include: [`packages/*/test/**/${files}`, `test/**/${files}`],
      exclude: [...configDefaults.exclude, ...(isReference ? [] : ["**/*.reference.test.ts"])],
      // All cores: most tests wait for sockets, files and children.
      maxWorkers: "100%",
      // A reference test may read all recordings.
      testTimeout: isSoak ? hour : isReference ? 300_000 : 30_000,
      setupFiles: isSoak ? [] : ["./test/support/same-cases.ts"],
      env: { ...(isSoak ? { ANTIPHON_SOAK: "1" } : {}), ANTIPHON_REFERENCE: isReference ? referenceFolder() : "" },
    },
  };
});
