import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ResponseEvent } from "antiphon";
import { lifecycleLaw } from "antiphon/testing";
import { antiphon, jsonLines } from "./support/antiphon.ts";
import { provider, saying, type Answer } from "./support/provider.ts";

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-replay-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

const chatAnswer: Answer = {
  body: {
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Over chat." } }],
  },
};

test.each<[string, Answer, string]>([
  ["openai", saying("From the tape."), "From the tape."],
  ["groq", chatAnswer, "Over chat."],
])("plays what was recorded with %s, without a network or a key", async (name, answer, words) => {
  const server = await provider(() => answer);
  const env = { OPENAI_API_KEY: "sk-verysecret", GROQ_API_KEY: "sk-verysecret" };
  const args = ["run", "--model", `${name}:m`, "--base-url", server.url, "--record", "tape", "Hello"];
  expect((await antiphon(args, "", { env, cwd })).stdout).toBe(`${words}\n`);
  server.close();
  const [file = ""] = readdirSync(join(cwd, "tape"));
  expect(readFileSync(join(cwd, "tape", file), "utf8")).not.toContain("verysecret");
  const shown = await antiphon(["replay", "tape"], "", { cwd });
  expect({ stdout: shown.stdout, code: shown.code }).toEqual({ stdout: `${words}\n`, code: 0 });
  expect(shown.stderr).toMatch(/^POST http/);
  const events = jsonLines<ResponseEvent>((await antiphon(["replay", "--json", "tape"], "", { cwd })).stdout);
  expect(lifecycleLaw(events.filter(({ type }) => !type.startsWith("antiphon:")))).toBeUndefined();
});

test("has nothing to keep where there is no traffic, and says so with exit code 2", async () => {
  const { stderr, code } = await antiphon(["run", "--record", "tape", "Hello"], "", { cwd });
  expect(stderr).toContain("--record has no effect with offline");
  expect(code).toBe(2);
});

test("reports a folder without a recording, with exit code 1", async () => {
  const { stderr, code } = await antiphon(["replay", "nothing"], "", { cwd });
  expect(stderr).toContain("nothing contains no recording");
  expect(code).toBe(1);
});
