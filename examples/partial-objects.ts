// Typed output while the model writes it: `partial()` yields the value so far.
import { Agent } from "antiphon";
import { z } from "zod";

const recipe = z.object({ title: z.string(), steps: z.array(z.string()) });
const agent = new Agent({ model: "offline" });
const prompt = '[[say:{"title":"Porridge","steps":["Boil the milk","Add the oats","Stir and wait"]}]]';

const stream = agent.stream(prompt, { output: recipe });
let shown = 0;
for await (const { title, steps = [] } of stream.partial()) {
  if (steps.length === shown) continue;
  shown = steps.length;
  console.log(`${title}, steps so far: ${shown}`);
}

const { output } = await stream.reply;
console.log(output.steps.join(" · "));

// Prints:
//   Porridge, steps so far: 1
//   Porridge, steps so far: 3
//   Boil the milk · Add the oats · Stir and wait
