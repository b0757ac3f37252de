// An agent: a model, its instructions and its tools. It calls what it needs and answers.
import { Agent, tool } from "antiphon";
import { z } from "zod";

const weather = tool({
  name: "weather",
  description: "Tells the weather in a city.",
  input: z.object({ city: z.string() }),
  run: ({ city }) => `It is sunny in ${city}.`,
});

const agent = new Agent({ model: "offline", instructions: "Be brief.", tools: [weather] }); // or "openai:gpt-5.2", "claude", …

const reply = await agent.send("What is the weather in Oslo?");
console.log(reply.text);
console.log(`${reply.items.length} items, ${reply.steps.length} steps, finish: ${reply.finish}`);

for await (const text of agent.stream("And what is the weather in Rome?").text()) process.stdout.write(text);
process.stdout.write("\n");

// Prints:
//   The weather tool says: It is sunny in Oslo.
//   3 items, 2 steps, finish: stop
//   The weather tool says: It is sunny in Rome.
