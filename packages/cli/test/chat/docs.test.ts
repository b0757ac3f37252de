import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandUsages } from "../../src/chat/commands/table.ts";

test("the page about the chat lists every command as it is", () => {
  const page = readFileSync(new URL("../../../../docs/chat.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `/"));
  expect(rows).toEqual(commandUsages().map(({ usage, about }) => `| \`${usage.replaceAll("|", "\\|")}\` | ${about} |`));
});
