// A response as a stream of events. Text arrives in deltas.
import { connect, provider } from "antiphon";

const respond = connect(provider("offline"));

for await (const event of respond({ input: "Repeat after me: The sea is deep and wide.", reasoning: { effort: "low" } })) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type === "response.completed") process.stdout.write(`\n${event.response.output.length} items\n`);
}

// Prints:
//   The sea is deep and wide.
//   2 items
