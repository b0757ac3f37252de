// A journal in files: no tool call runs twice, even if the process crashes or the run is resumed several times.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, connect, outcome, provider, run, text, tool, user, type InputItem } from "antiphon";
import { fileJournal } from "antiphon/node";

const send = tool({
  name: "send",
  description: "Sends a letter.",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  run: ({ to }: { to: string }) => {
    console.log(`sending a letter to ${to}`);
    return `Sent to ${to}`;
  },
});

// The items that a crashed process has stored: a message and a call without an output.
const input: InputItem[] = [
  user("Write to Ann."),
  { type: "function_call", call_id: "call_1", name: "send", arguments: '{"to":"Ann"}' },
];

const respond = connect(provider("offline"));
const folder = await mkdtemp(join(tmpdir(), "antiphon-"));
for (const attempt of [1, 2]) {
  const response = await collect(run(respond, { input }, { tools: [send], journal: fileJournal(folder) }));
  console.log(`attempt ${attempt}: ${outcome(response)?.state}: ${text(response)}`);
}
await rm(folder, { recursive: true });

// Prints:
//   sending a letter to Ann
//   attempt 1: completed: The send tool says: Sent to Ann
//   attempt 2: completed: The send tool says: Sent to Ann
