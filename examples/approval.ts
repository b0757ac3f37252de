// A tool that requires approval: the run pauses before the call. You store it as JSON and resume it with a decision.
import { collect, connect, pausedRun, provider, resume, run, text, tool, type Decision, type PausedRun } from "antiphon";

const refund = tool({
  name: "refund",
  description: "Refunds an amount to a customer.",
  input: {
    type: "object",
    properties: { customer: { type: "string" }, euros: { type: "number" } },
    required: ["customer", "euros"],
  },
  approval: true,
  run: ({ customer, euros }: { customer: string; euros: number }) => `Paid ${euros} € to ${customer}`,
});

const respond = connect(provider("offline"));
const request = { input: '[[call:refund {"customer":"Ann","euros":300}]]' };

const response = await collect(run(respond, request, { tools: [refund] }));
const paused = pausedRun(request, response);
const stored = JSON.stringify(paused); // in a database, a file, a queue

// Later, perhaps in another process: a person looks at the pending calls and decides.
const waiting: PausedRun = JSON.parse(stored);
const decisions: Record<string, Decision> = {};
for (const call of waiting.pending) {
  console.log(`waiting: ${call.name} ${call.written}`);
  decisions[call.call_id] = { action: "continue", input: { customer: "Ann", euros: 30 } };
}

console.log(text(await collect(resume(respond, waiting, { tools: [refund], decisions }))));

// Prints:
//   waiting: refund {"customer":"Ann","euros":300}
//   The refund tool says: Paid 30 € to Ann
