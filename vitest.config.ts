import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`./packages/antiphon/src/${path}`, import.meta.url));
const gateway = (path: string): string => fileURLToPath(new URL(`./packages/gateway/src/${path}`, import.meta.url));
const hour = 3_600_000;

// Unit tests run on the sources; what runs as a child process (`test/`, `packages/cli/test/`) needs the build.
export default defineConfig(({ mode }) => ({
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
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // All cores: most tests wait for sockets, files and children.
    maxWorkers: "100%",
    testTimeout: mode === "soak" ? hour : 30_000,
    setupFiles: mode === "soak" ? [] : ["./test/support/same-cases.ts"],
    env: mode === "soak" ? { ANTIPHON_SOAK: "1" } : {},
  },
}));
