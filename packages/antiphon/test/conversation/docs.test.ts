import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lintRules } from "../../src/conversation/lint-rules.ts";
import { planReasons } from "../../src/conversation/plan.ts";
import { recoveries } from "../../src/conversation/recover.ts";

const page = readFileSync(new URL("../../../../docs/conversations.md", import.meta.url), "utf8");

/** The rows of the table with this head. */
function rowsOf(head: string): string[] {
  const from = page.indexOf(`| ${head} |`);
  return page.slice(from, page.indexOf("\n\n", from)).trim().split("\n").slice(2);
}

test.each([
  ["reason | meaning", Object.entries(planReasons).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)],
  ["rule | what was wrong, and what was done", Object.entries(lintRules).map(([name, what]) => `| \`${name}\` | ${what} |`)],
  [
    "recovery | when | what is done",
    Object.entries(recoveries).map(([name, { when, action }]) => `| \`${name}\` | ${when} | ${action} |`),
  ],
])("docs/conversations.md has the table %s as the code has it", (head, rows) => {
  expect(rowsOf(head)).toEqual(rows);
});
