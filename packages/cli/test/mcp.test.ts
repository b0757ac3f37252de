import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { splitWords } from "../src/split-words.ts";
import { antiphon } from "./support/antiphon.ts";

const server = fileURLToPath(new URL("../../antiphon/test/mcp/server.mjs", import.meta.url));
let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), "antiphon-mcp-"))));
afterEach(() => rmSync(cwd, { recursive: true }));

/** A file that is named is trusted. */
const env = { ANTIPHON_CONFIG: "antiphon.toml" };

test("--mcp starts a server, and ends it", async () => {
  const args = ["run", "--mcp", `"${process.execPath}" ${server}`, '[[call:add {"a":2,"b":3}]]'];
  const { stdout, stderr, code } = await antiphon(args, "", { cwd });
  expect(stderr).toBe('→ add {"a":2,"b":3}\n← add 5\n');
  expect({ stdout, code }).toEqual({ stdout: "The add tool says: 5\n", code: 0 });
});

const configured = (more = ""): void =>
  writeFileSync(
    join(cwd, "antiphon.toml"),
    `[mcp.sums]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server)}]\n${more}`,
  );

test.each([["--mcp"], ["--tool"]])(
  "%s takes the name of a configured one, which goes before the names of its tools",
  async (flag) => {
    configured();
    const { stderr, code } = await antiphon(["run", flag, "sums", '[[call:sums_add {"a":2,"b":3}]]'], "", { cwd, env });
    expect(stderr).toContain("← sums_add 5");
    expect(code).toBe(0);
  },
);

test("calls that a person should agree to are declined, unless it was agreed to beforehand", async () => {
  configured('approval = "writes"\nprefix = ""');
  const call = ["run", "--mcp", "sums", "[[call:pid {}]]"];
  const declined = await antiphon(call, "", { cwd, env });
  const agreed = await antiphon([...call, "--yes"], "", { cwd, env });
  const reading = await antiphon(["run", "--mcp", "sums", '[[call:add {"a":2,"b":3}]]'], "", { cwd, env });
  expect(declined.stderr).toContain("← pid Error: This call was declined");
  expect(agreed.stderr).toMatch(/← pid \d+\n/);
  expect(reading.stderr).toContain("← add 5");
});

test("a server that does not start says why, with exit code 5", async () => {
  const { stderr, code } = await antiphon(["run", "--mcp", "/nowhere/server", "Hello"], "", { cwd });
  expect(stderr).toMatch(/CONNECTION_ERROR: The MCP server could not be reached .*ENOENT/);
  expect(code).toBe(5);
});

test("commands are split as a shell splits them", () => {
  expect(splitWords(String.raw`npx -y "a b" 'c "d"' e\ f "g \"h\"" i"j k"l`)).toEqual([
    "npx",
    "-y",
    "a b",
    'c "d"',
    "e f",
    'g "h"',
    "ij kl",
  ]);
  expect(splitWords("  ")).toEqual([]);
  expect(() => splitWords('a "b')).toThrow("missing closing quote");
});
