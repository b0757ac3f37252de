// Typed output: the model gets the schema if its API supports schemas, and every answer is validated against it.
import { Agent } from "antiphon";
import { z } from "zod";

const agent = new Agent({ model: "offline" });
const report = z.object({ city: z.string(), celsius: z.number(), note: z.string().optional() });

const { output } = await agent.send("How warm is it in Oslo?", { output: report });
console.log(`${output.city}: ${output.celsius} °C`);

// The root can also be a list, an enum or a number.
const { output: mood } = await agent.send("How do you feel?", { output: z.enum(["fine", "tired"]) });
console.log(mood);

// Prints:
//   Oslo: 99 °C
//   fine
