import { defineConfig } from "vitest/config";

// Without the aliases of the root's configuration: these suites run on the library as it is built.
export default defineConfig({ test: { include: ["suites/*.ts"], testTimeout: 60_000 } });
