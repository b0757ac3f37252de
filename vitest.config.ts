import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string): string => fileURLToPath(new URL(`./packages/antiphon/src/${path}`, import.meta.url));

// Tests run on the sources; `test/` has those that need the build.
export default defineConfig({
  resolve: {
    alias: [
      { find: "#transport", replacement: source("node/http-transport.ts") },
      { find: /^antiphon\/codecs\/(\w+)$/, replacement: source("codecs/$1/index.ts") },
      { find: "antiphon/testing", replacement: source("testing/index.ts") },
      { find: "antiphon/node", replacement: source("node/index.ts") },
      { find: /^antiphon$/, replacement: source("index.ts") },
    ],
  },
  test: { include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], testTimeout: 30_000 },
});
