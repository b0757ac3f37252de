import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { antiphon, jsonLines } from "./support/antiphon.ts";
import { provider } from "./support/provider.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-models-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

const listing = {
  body: {
    object: "list",
    data: [
      { id: "gpt-5.2", object: "model" },
      { id: "text-embedding-3-small", object: "model" },
    ],
  },
};

test("of a provider are listed as they are named on a command line, with what they can do and cost", async () => {
  const { url } = await provider(() => listing);
  writeFileSync(join(cwd, "antiphon.toml"), '[prices."gpt-5.2"]\ninput = 1.75\noutput = 14');
  const { stdout, code } = await antiphon(["models", "--base-url", url, "openai"], "", { cwd, env: { OPENAI_API_KEY: "k" } });
  const [head = "", first = "", second = ""] = stdout.split("\n");
  expect(head.split(/\s{2,}/)).toEqual(["MODEL", "KIND", "CONTEXT", "OUTPUT", "INPUT", "FEATURES", "$/M IN", "$/M OUT"]);
  expect(first).toMatch(/^openai:gpt-5\.2 +chat +\d+k +\d+k +text,image.* +reasoning,tools,schema +1\.75 +14$/);
  expect(second).toMatch(/^openai:text-embedding-3-small +embeddings/);
  expect(code).toBe(0);
});

test("are listed as JSON for programs, and by kind", async () => {
  const { stdout } = await antiphon(["models", "--json", "offline"]);
  expect(jsonLines(stdout)).toMatchObject([
    { model: "offline:offline", id: "offline", provider: "offline", kind: "chat" },
    { model: "offline:offline-embedding", id: "offline-embedding", provider: "offline", kind: "embeddings" },
  ]);
  const embeddings = await antiphon(["models", "--json", "--kind", "embeddings", "offline"]);
  expect(jsonLines(embeddings.stdout)).toMatchObject([{ id: "offline-embedding" }]);
});

test("are those of every provider that can be reached, where none is named; one that fails is told on the side", async () => {
  const [good, bad] = [
    await provider(() => listing),
    await provider(() => ({ status: 401, body: { error: { message: "Bad key." } } })),
  ];
  writeFileSync(
    join(cwd, "antiphon.toml"),
    `[providers.openai]\napi_key = 'a'\nbase_url = '${good.url}'\n[providers.groq]\napi_key = 'b'\nbase_url = '${bad.url}'`,
  );
  const { stdout, stderr, code } = await antiphon(["models", "--json", "--config", "antiphon.toml"], "", { cwd });
  const providers = new Set(jsonLines<{ provider: string }>(stdout).map((model) => model.provider));
  expect([...providers]).toEqual(expect.arrayContaining(["openai", "offline"]));
  expect(stderr).toContain("antiphon: warning: groq: AUTH_ERROR: Bad key.");
  expect(code).toBe(0);
});

test.each([
  [["opnai"], 2, 'Did you mean "openai"?'],
  [["openai"], 3, "OPENAI_API_KEY"],
])("%j ends with exit code %i", async (args, expected, message) => {
  const { stderr, code } = await antiphon(["models", ...args]);
  expect(stderr).toContain(message);
  expect(code).toBe(expected);
});
