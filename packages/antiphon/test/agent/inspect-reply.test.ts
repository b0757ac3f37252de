import { Agent, tool } from "antiphon";
import { inspect } from "node:util";
import { expect, test } from "vitest";

const send = tool({
  name: "send_mail",
  description: "Sends a mail.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  approval: true,
  run: () => "sent",
});

test("inspecting a reply shows its text, finish, usage and pending calls in a few lines", async () => {
  const reply = await new Agent({ model: "offline" }).send("What is 6*7?");
  const { input_tokens, output_tokens, total_tokens } = reply.usage;
  const shown = inspect(reply, { breakLength: 120 });
  expect(shown.split("\n").length).toBeLessThan(10);
  expect(shown).toContain(`text: '${reply.text}'`);
  expect(shown).toContain("finish: 'stop'");
  expect(shown).toContain(`{ input_tokens: ${input_tokens}, output_tokens: ${output_tokens}, total_tokens: ${total_tokens} }`);
  expect(shown).toContain("pending: []");
});

test("inspecting a paused reply shows the pending calls with their arguments", async () => {
  const reply = await new Agent({ model: "offline", tools: [send], tool_choice: "required" }).send("Mail ann@example.com.");
  const [call] = reply.pending;
  const shown = inspect(reply, { breakLength: 120 });
  expect(shown).toMatch(/^Reply \{/);
  expect(shown).toContain(`name: 'send_mail', call_id: '${call?.call_id}'`);
  expect(shown).toContain(String(call?.written));
});

test("inspecting a deeply nested reply shows only its class", async () => {
  const reply = await new Agent({ model: "offline" }).send("Hello");
  expect(inspect({ a: { reply } }, { depth: 1 })).toContain("[Reply]");
});

test("JSON.stringify of a reply is not affected", async () => {
  const reply = await new Agent({ model: "offline" }).send("Hello");
  expect(JSON.parse(JSON.stringify(reply))).toMatchObject({ version: 1, text: reply.text, items: reply.items });
});
