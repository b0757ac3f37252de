import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { Pty } from "./support/pty.ts";

const program = fileURLToPath(new URL("../../bin/antiphon.js", import.meta.url));

describe("the built command line", () => {
  const open: Pty[] = [];
  afterAll(async () => {
    for (const pty of open) {
      await pty.close();
      rmSync(pty.folder, { recursive: true, force: true });
    }
  });
  const start = (args: string[], folder?: string): Pty => {
    const pty = new Pty(program, { args, columns: 72, ...(folder && { folder }) });
    open.push(pty);
    return pty;
  };

  test("opens a chat when it is called alone, and goes on with it later", async () => {
    const first = start([]);
    await first.until(/\n>$/);
    first.type("My name is Ada.\r");
    await first.prompt(1);
    first.type("\u0004");
    expect(await first.exit).toBe(0);

    const second = start(["chat", "--resume", "--tool", "calculator"], first.folder);
    expect(await second.until(/\n\n>$/)).toMatch(/^offline · session SESSION · \/help\n\n> My name is Ada\.\n\n/);
    second.type("What is my name?\r");
    expect(await second.prompt(1)).toContain("\nYour name is Ada.\n");
    second.type('[[call:calculator {"expression":"6 * 7"}]]\r');
    expect(await second.prompt(2)).toContain('\n✓ calculator {"expression":"6 * 7"} → 42\n');
  });

  test("uses no colours where --no-color says so", async () => {
    const [plain, coloured] = [start(["--no-color"]), start([])];
    await Promise.all([plain.until(/\n>$/), coloured.until(/\n>$/)]);
    // oxlint-disable-next-line no-control-regex
    const colour = /\u001B\[[\d;]*m/;
    expect(plain.output).not.toMatch(colour);
    expect(coloured.output).toMatch(colour);
  });
});
