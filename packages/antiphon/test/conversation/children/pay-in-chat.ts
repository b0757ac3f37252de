// Goes on with a chat whose model calls a tool that takes effect outside, and may be killed at any moment.
import { appendFileSync, writeSync } from "node:fs";
import { Agent } from "../../../src/agent/agent.ts";
import { Chat } from "../../../src/agent/chat.ts";
import { fileSessions } from "../../../src/node/file-sessions.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import { tool } from "../../../src/tools/define.ts";

const [directory = "", ledger = ""] = process.argv.slice(2);

const pay = tool<{ bill: string }>({
  name: "pay",
  description: "Pays a bill.",
  input: { type: "object", properties: { bill: { type: "string" } }, required: ["bill"] },
  run: async ({ bill }) => {
    appendFileSync(ledger, `${bill}\n`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return `Paid ${bill}.`;
  },
});

/** A model that pays what it was last asked to pay, and then says so. */
const model = scripted(
  Array.from({ length: 10_000 }, () => ({ input }) => {
    const items = Array.isArray(input) ? input : [];
    const asked = items.findLastIndex((item) => "role" in item && item.role === "user");
    const bill = JSON.stringify(items[asked]).match(/bill (\d+)/)?.[1] ?? "none";
    if (items.slice(asked).some(({ type }) => type === "function_call_output")) return `Bill ${bill} is dealt with.`;
    return [{ type: "function_call", call_id: "call_0", name: "pay", arguments: JSON.stringify({ bill }) }];
  }),
);

const chat = await Chat.from(new Agent({ model, tools: [pay] }), fileSessions(directory), "bills");
if (chat.log.entries.length > 0 && !isAnswered()) await chat.resume();
for (;;) {
  const next = chat.log.turns.length;
  await chat.send(`Pay bill ${next}.`);
  writeSync(1, `${next}\n`);
}

function isAnswered(): boolean {
  const { item, origin } = chat.log.entries.at(-1)!;
  return origin !== undefined && item.type === "message";
}
