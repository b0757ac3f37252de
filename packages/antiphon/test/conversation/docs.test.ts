import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lintRules } from "../../src/conversation/lint-rules.ts";
import { planReasons } from "../../src/conversation/plan.ts";
import { recoveries } from "../../src/conversation/recover.ts";

const page = readFileSync(new URL("../../../../docs/conversations.md", import.meta.url), "utf8");

test.each([
  ["plan reasons", Object.entries(planReasons).map(([name, meaning]) => `- \`${name}\`: ${meaning}`)],
  ["lint rules", Object.entries(lintRules).map(([name, repair]) => `- \`${name}\`: ${repair}`)],
  ["recoveries", Object.entries(recoveries).map(([name, { when, action }]) => `| \`${name}\` | ${when} | ${action} |`)],
])("docs/conversations.md lists all %s as the code does", (_, lines) => {
  expect(page).toContain(`\n\n${lines.join("\n")}\n\n`.replace("\n\n|", "\n|"));
});
