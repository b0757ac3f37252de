// What a model thinks comes apart from what it says: as deltas while it streams, and whole in the reply.
import { Agent } from "antiphon";

const agent = new Agent({ model: "offline", reasoning: { effort: "medium", summary: "auto" } });
const stream = agent.stream("What is 6 * 7?");

for await (const thought of stream.thinking()) process.stdout.write(thought);
process.stdout.write("\n");

const { text, thinking_details, usage } = await stream.reply;
console.log(`Answer: ${text}`);
console.log(`${thinking_details.length} item, ${usage.output_tokens_details.reasoning_tokens} tokens of thought`);

// A model that does not think is not asked to; the reply says so.
const plain = new Agent({ model: { name: "test", model: "gpt-4o", respond: agent.respond }, reasoning: { effort: "high" } });
console.log((await plain.send("What is 6 * 7?")).warnings);

// Prints:
//   The user says “What is 6 * 7?” I can answer this myself.
//
//   I was given 0 tools, and have 0 results from tools so far.
//   Answer: 6 * 7 = 42
//   1 item, 31 tokens of thought
//   [
//     {
//       path: 'reasoning.effort',
//       reason: 'The model "gpt-4o" does not support reasoning.'
//     }
//   ]
