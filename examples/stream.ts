// The same, as it comes: a response is a stream of events, and a delta is one of them.
import { connect, provider } from "antiphon";

const respond = connect(provider("offline"));

for await (const event of respond({ input: "Tell me about the sea.", reasoning: { effort: "low" } })) {
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
  if (event.type === "response.completed") process.stdout.write(`\n${event.response.output.length} items\n`);
}
