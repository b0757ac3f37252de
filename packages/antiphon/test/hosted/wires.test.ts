import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Codec } from "../../src/codecs/codec.ts";
import { AntiphonError } from "../../src/core/error.ts";
import {
  applyPatch,
  codeInterpreter,
  computer,
  fileSearch,
  hostedMcp,
  imageGeneration,
  localShell,
  shell,
  webSearch,
} from "../../src/hosted/options.ts";
import type { Tool } from "../../src/model/index.ts";
import { provider } from "../../src/providers/index.ts";
import { testCtx } from "../support/ctx.ts";
import { loadCodecs } from "../support/load-codecs.ts";

await loadCodecs();

// Each tool with every option that some wire might not have.
const tools: Readonly<Record<string, Tool>> = {
  webSearch: webSearch({ contextSize: "low", location: { country: "NO" }, domains: ["nrk.no"], live: false }),
  fileSearch: fileSearch({
    stores: ["vs_1"],
    maxResults: 5,
    scoreThreshold: 0.5,
    filters: { type: "eq", key: "year", value: 2026 },
  }),
  "codeInterpreter, files": codeInterpreter({ files: ["file_1"], memory: "4g" }),
  "codeInterpreter, container": codeInterpreter({ container: "cntr_1" }),
  imageGeneration: imageGeneration({ partialImages: 2, size: "1024x1024" }),
  "hostedMcp, approval never": hostedMcp({
    label: "docs",
    url: "https://a.example",
    approval: "never",
    headers: { "x-a": "b" },
  }),
  "hostedMcp, some tools": hostedMcp({ label: "docs", url: "https://a.example", approval: "never", allowedTools: ["a"] }),
  "hostedMcp, approval always": hostedMcp({ label: "docs", url: "https://a.example" }),
  shell: shell({ container: "auto" }),
  localShell: localShell(),
  applyPatch: applyPatch(),
  computer: computer(),
};
const columns = ["anthropic", "gemini", "openai-chat"];

function codecOf(name: string): Codec {
  const upstream = provider(name, { apiKey: "test", baseUrl: "http://127.0.0.1:1/v1" });
  if ("respond" in upstream) throw new Error(`${name} speaks no wire.`);
  return upstream.codec;
}

/** Returns the table cell of the docs for a tool on a provider's API. */
function cell(codec: Codec, tool: Tool): string {
  try {
    const { losses } = codec.encodeRequest(testCtx({ model: "test-model", input: "Hi", tools: [tool] }));
    const paths = losses.filter(({ path }) => path.startsWith("tools[0]")).map(({ path }) => path.slice("tools[0].".length));
    if (paths.includes("")) return "omitted";
    return paths.length === 0 ? "yes" : `without ${paths.map((path) => `\`${path}\``).join(", ")}`;
  } catch (error) {
    if (error instanceof AntiphonError && error.code === "UNSUPPORTED") return "error";
    throw error;
  }
}

const docs = new URL("../../../../docs/hosted-tools.md", import.meta.url);

test("docs/hosted-tools.md lists which tools each API supports", () => {
  const namesByCells = new Map<string, string[]>();
  for (const [name, tool] of Object.entries(tools)) {
    const cells = columns.map((column) => cell(codecOf(column), tool)).join(" | ");
    namesByCells.set(cells, [...(namesByCells.get(cells) ?? []), name]);
  }
  const rows = [...namesByCells].map(([cells, names]) => `| ${names.join(", ")} | ${cells} |`);
  const table = [
    `| tool | ${columns.map((column) => `\`${column}\``).join(" | ")} |`,
    `|${"---|".repeat(columns.length + 1)}`,
    ...rows,
  ].join("\n");
  expect(readFileSync(docs, "utf8")).toContain(table);
});

test.each(Object.entries(tools))("openai supports %s with all options, and a Chat Completions server omits it", (_, tool) => {
  expect(cell(codecOf("openai"), tool)).toBe("yes");
  expect(cell(codecOf("chat"), tool)).toBe("omitted");
});
