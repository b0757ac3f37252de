import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { updateProviderDocs } from "../../../../scripts/provider-docs.ts";
import { knownModels } from "../../src/providers/known-models.ts";
import { presets } from "../../src/providers/index.ts";
import { loadCodecs } from "../support/load-codecs.ts";

await loadCodecs();

const path = fileURLToPath(new URL("../../../../docs/providers.md", import.meta.url));

test("docs/providers.md has the tables of the presets and the known models (UPDATE_DOCS=1 writes them)", () => {
  const written = updateProviderDocs(readFileSync(path, "utf8"));
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(path, written);
  expect(readFileSync(path, "utf8")).toBe(written);
});

test("every preset and every known model is on the page", () => {
  const page = readFileSync(path, "utf8");
  const names = [...presets().map(({ name }) => name), ...knownModels().map(({ id }) => id)];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("updating the tables does not change the text around them", () => {
  expect(updateProviderDocs("before\n<!-- begin other -->\nkept\n<!-- end other -->\nafter\n")).toBe(
    "before\n<!-- begin other -->\nkept\n<!-- end other -->\nafter\n",
  );
});
