import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { findReference } from "./test/support/reference.ts";

const source = (path: string): string => fileURLToPath(new URL(`./packages/antiphon/src/${path}`, import.meta.url));
const gateway = (path: string): string => fileURLToPath(new URL(`./packages/gateway/src/${path}`, import.meta.url));
const hour = 3_600_000;

/** Returns the folder that reference tests read. Ends the run at once if it is not there. */
function referenceFolder(): string {
  const { folder, missing } = findReference();
  if (missing === undefined) return folder;
  throw new Error(
    `Reference tests need the recordings and the specification, but ${missing} does not exist. ` +
      "Set ANTIPHON_REFERENCE to the folder that contains `recordings/` and `spec/`.",
  );
}

// By default, all tests run except `*.reference.test.ts`. `--mode reference` runs only those. `--mode soak` runs the
// same files as the default, with many more cases.
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
      // Hooks start PostgreSQL and compile code, which takes long on a busy machine.
      hookTimeout: 60_000,
      globalSetup: ["./test/support/run-folder.ts"],
      setupFiles: ["./test/support/ended-children.ts", ...(isSoak ? [] : ["./test/support/same-cases.ts"])],
      env: { ...(isSoak ? { ANTIPHON_SOAK: "1" } : {}), ANTIPHON_REFERENCE: isReference ? referenceFolder() : "" },
    },
  };
});
