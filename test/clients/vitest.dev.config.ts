import { defineConfig } from "vitest/config";
const source = (path: string) => `/work/main/packages/antiphon/src/${path}`;
export default defineConfig({
  resolve: { alias: [
      { find: "#transport", replacement: source("node/http-transport.ts") },
      { find: /^antiphon\/codecs\/(\w+)$/, replacement: source("codecs/$1/index.ts") },
      { find: "antiphon/testing", replacement: source("testing/index.ts") },
      { find: /^antiphon$/, replacement: source("index.ts") },
  ] },
  test: { include: ["suites/*.ts"], testTimeout: 10_000 },
});
