import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { directiveNames } from "../../src/testing/offline/directives.ts";

it("docs/offline.md lists every directive, and none that does not exist", () => {
  const page = readFileSync(new URL("../../../../docs/offline.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `\[\[(\w+)/gm)].map(([, name = ""]) => name);
  expect(new Set(rows)).toEqual(new Set(directiveNames));
});
