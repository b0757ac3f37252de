import { configDefaults, defineConfig } from "vitest/config";
import { findReference } from "../support/reference.ts";

const { folder, missing } = findReference();
if (missing) process.stdout.write(`The suite of recordings does not run: ${missing} does not exist.\n`);

// Without the aliases of the root's configuration: these suites run on the packages as they are built.
export default defineConfig({
  test: {
    include: ["suites/*.ts"],
    exclude: [...configDefaults.exclude, ...(missing ? ["suites/*.reference.ts"] : [])],
    env: { ANTIPHON_REFERENCE: missing ? "" : folder },
    testTimeout: 120_000,
  },
});
