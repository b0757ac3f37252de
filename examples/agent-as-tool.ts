// An agent as a tool of another agent. The outer agent gets only its answer; the reply's usage includes both agents.
import { Agent, tool } from "antiphon";
import { z } from "zod";

const weather = tool({
  name: "weather",
  description: "Returns the weather in a city.",
  input: z.object({ city: z.string() }),
  run: ({ city }) => `It is sunny in ${city}.`,
});

const scout = new Agent({
  name: "scout",
  description: "Answers questions about the weather.",
  model: "offline",
  tools: [weather],
});
const agent = new Agent({ model: "offline", tools: [scout.asTool()] });

const reply = await agent.send('Ask the scout "What is the weather in Oslo?"');
console.log(reply.text);
const outer = agent.stats().usage.total_tokens;
const inner = scout.stats().usage.total_tokens;
console.log(reply.usage.total_tokens === outer + inner ? "all tokens are counted" : "tokens are missing");

// Prints:
//   The scout tool says: The weather tool says: It is sunny in Oslo.
//   all tokens are counted
