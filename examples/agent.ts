// An agent: a model with instructions and tools. It runs the tools that the model calls and returns the answer.
import { Agent, tool } from "antiphon";
import { z } from "zod";

const weather = tool({
  name: "weather",
  description: "Returns the weather in a city.",
  input: z.object({ city: z.string() }),
  run: ({ city }) => `It is sunny in ${city}.`,
});

// Replace "offline" with a model string such as "openai:gpt-5.2" or "claude".
const agent = new Agent({ model: "offline", instructions: "Be brief.", tools: [weather] });

const reply = await agent.send("What is the weather in Oslo?");
console.log(reply.text);
console.log(`${reply.items.length} items, ${reply.steps.length} steps, finish: ${reply.finish}`);

for await (const text of agent.stream("And what is the weather in Rome?").text()) process.stdout.write(text);
process.stdout.write("\n");

// Prints:
//   The weather tool says: It is sunny in Oslo.
//   3 items, 2 steps, finish: stop
//   The weather tool says: It is sunny in Rome.
