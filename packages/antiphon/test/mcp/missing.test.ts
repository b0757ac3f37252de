import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";

test("without the SDK, importing does no harm, and using says which package is missing", async () => {
  // Far from any `node_modules`, as a program that never installed the optional package.
  const folder = mkdtempSync(join(tmpdir(), "antiphon-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const input = fileURLToPath(new URL("../../src/mcp/index.ts", import.meta.url));
  const bundle = await rolldown({ input, external: [/^@modelcontextprotocol\//], platform: "neutral" });
  await bundle.write({ dir: folder, entryFileNames: "mcp.mjs" });
  await bundle.close();
  const program = `import { mcpServer } from "./mcp.mjs";
for (const server of [{ command: "node" }, { url: "http://127.0.0.1:1" }])
  await mcpServer(server).listTools().catch(({ code, message }) => console.log(code, message));`;
  writeFileSync(join(folder, "program.mjs"), program);
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/^UNSUPPORTED .*npm install @modelcontextprotocol\/client/),
    expect.stringMatching(/^UNSUPPORTED .*npm install @modelcontextprotocol\/client/),
  ]);
});
