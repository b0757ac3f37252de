// A typed answer while it is being written. `partial()` gives one object that grows, so showing it costs next to nothing.
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
  console.log(`${title}: ${shown} of its steps have begun`);
}

const { output } = await stream.reply;
console.log(output.steps.join(" · "));

// Prints:
//   Porridge: 1 of its steps have begun
//   Porridge: 3 of its steps have begun
//   Boil the milk · Add the oats · Stir and wait
