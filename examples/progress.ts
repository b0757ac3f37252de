// A slow tool reports its progress: the values that its generator yields are progress, its return value is the result.
import { connect, isRunEvent, provider, run, tool } from "antiphon";

const index = tool({
  name: "index",
  description: "Indexes a folder.",
  input: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
  async *run({ folder }: { folder: string }) {
    for (const percent of [0, 50, 100]) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield { percent };
    }
    return `${folder} contains 3 files.`;
  },
});

const respond = connect(provider("offline"));
for await (const event of run(respond, { input: '[[call:index {"folder":"docs"}]]' }, { tools: [index] })) {
  if (isRunEvent(event, "antiphon:tool_started")) console.log(`${event.name}: started`);
  if (isRunEvent(event, "antiphon:tool_progress")) console.log(`${event.name}: ${JSON.stringify(event.data)}`);
  if (isRunEvent(event, "antiphon:tool_done")) console.log(`${event.name}: ${event.status}`);
  if (event.type === "response.output_text.delta") process.stdout.write(event.delta);
}
console.log();

// Prints:
//   index: started
//   index: {"percent":0}
//   index: {"percent":50}
//   index: {"percent":100}
//   index: ok
//   The index tool says: docs contains 3 files.
