// The same, as it comes: a response is a stream of events, and a delta is one of them.
import { connect, provider } from "antiphon";

const respond = connect(provider("offline"));

for await (const event of respond({ input: "Tell me about the sea.", reasoning: { effort: "low" } })) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type === "response.completed") process.stdout.write(`\n${event.response.output.length} items\n`);
}

// Prints:
//   You wrote 5 words: “Tell me about the sea.” I am the offline model: no key, no network, and the same answer every time. Ask me to add numbers or to repeat something, give me a tool to call, or a schema to fill.
//   2 items
