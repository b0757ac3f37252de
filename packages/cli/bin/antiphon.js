#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";

// Newer versions of Node can keep what they compiled: a third of the time that an answer waits for is compiling.
Reflect.get(module, "enableCompileCache")?.();

const program = new URL("../dist/main.js", import.meta.url);

if (existsSync(program)) {
  const { main } = await import(program.href);
  await main();
} else {
  process.stderr.write("antiphon is not built yet: run `npm run build` in the root of the repository.\n");
  process.exitCode = 1;
}
