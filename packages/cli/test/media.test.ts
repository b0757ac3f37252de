import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { antiphon, jsonLines } from "./support/antiphon.ts";
import { provider, saying } from "./support/provider.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { type: "image_generation_call", id: "ig_1", status: "completed", result: png.toString("base64") };
let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-media-"))));
afterEach(() => rmSync(cwd, { recursive: true }));
const env = { OPENAI_API_KEY: "k" };

test("keeps a picture and prints where", async () => {
  const { url, asked } = await provider(() => saying("Here.", picture));
  const args = [
    "media",
    "--model",
    "openai:m",
    "--base-url",
    url,
    "--size",
    "1024x1024",
    "--quality",
    "low",
    "--save",
    "out",
    "A garden",
  ];
  const { stdout, stderr, code } = await antiphon(args, "", { env, cwd });
  const [name = ""] = readdirSync(join(cwd, "out"));
  expect({ stdout, stderr, code }).toEqual({ stdout: `out/${name}\n`, stderr: "", code: 0 });
  expect(readFileSync(join(cwd, "out", name))).toEqual(png);
  expect(asked[0]?.body).toMatchObject({
    model: "m",
    tools: [{ type: "image_generation", size: "1024x1024", quality: "low", output_format: "png" }],
  });
});

test("prints JSON for programs", async () => {
  const { url } = await provider(() => saying("Here.", picture));
  const { stdout } = await antiphon(["media", "--model", "openai:m", "--base-url", url, "--json", "A garden"], "", { env, cwd });
  expect(jsonLines(stdout)).toEqual([{ path: expect.stringMatching(/\.png$/) as string, mimeType: "image/png" }]);
});

test("ends with exit code 4 where nothing was made, with what the model said", async () => {
  const { url } = await provider(() => saying("I cannot draw."));
  const { stderr, code } = await antiphon(["media", "--model", "openai:m", "--base-url", url, "A garden"], "", { env, cwd });
  expect(stderr).toContain("I cannot draw.");
  expect(code).toBe(4);
});
