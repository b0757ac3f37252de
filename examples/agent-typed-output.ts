// An answer in the form of a schema: bound by it where the model can be, checked against it always.
import { Agent } from "antiphon";
import { z } from "zod";

const agent = new Agent({ model: "offline" });
const report = z.object({ city: z.string(), celsius: z.number(), note: z.string().optional() });

const { output } = await agent.send("How warm is it in Oslo?", { output: report });
console.log(`${output.city}: ${output.celsius} °C`);

// A list, a choice or a number may stand at the root, too.
const { output: mood } = await agent.send("How do you feel?", { output: z.enum(["fine", "tired"]) });
console.log(mood);

// Prints:
//   Oslo: 99 °C
//   fine
