// A handover: the first agent passes the conversation to the second, which continues with its own tools.
import { Agent, tool } from "antiphon";
import { scripted } from "antiphon/testing";
import { z } from "zod";

const refund = tool({
  name: "refund",
  description: "Refunds an amount.",
  input: z.object({ amount: z.number() }),
  run: ({ amount }) => `${amount} € are on their way.`,
});

// Scripted models, so that the example runs without a key.
const call = (call_id: string, name: string, input: object) =>
  [{ type: "function_call", call_id, name, arguments: JSON.stringify(input) }] as const;

const billing = new Agent({
  name: "billing",
  description: "Answers questions about invoices and refunds.",
  model: scripted([call("c2", "refund", { amount: 12 }), "You were charged twice; 12 € are on their way."]),
  tools: [refund],
});
const desk = new Agent({
  name: "desk",
  model: scripted([call("c1", "transfer_to_billing", {})]),
  handovers: [billing],
});

const stream = desk.stream("You charged me twice!");
for await (const event of stream) {
  if (event.type === "antiphon:handover") console.log(`${event["from"]} → ${event["to"]}`);
  if (event.type === "antiphon:tool_done") console.log(`${event["name"]}: ${event["status"]}`);
}
console.log((await stream.reply).text);

// Prints:
//   transfer_to_billing: ok
//   desk → billing
//   refund: ok
//   You were charged twice; 12 € are on their way.
