import { defineConfig } from "vitest/config";

// Without the aliases of the root's configuration: these suites run on the packages as they are built.
export default defineConfig({ test: { include: ["suites/*.ts"], testTimeout: 120_000 } });
