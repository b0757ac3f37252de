// Tools with Zod schemas (or Valibot, ArkType, JSON Schema). The input is validated and has the schema's type.
import { Agent, tool } from "antiphon";
import { z } from "zod";

const convert = tool({
  name: "convert",
  description: "Converts a temperature.",
  // Strict schemas do not support optional and default fields. The model writes null, and Antiphon applies the default.
  input: z.object({
    celsius: z.number(),
    to: z.enum(["fahrenheit", "kelvin"]).default("fahrenheit"),
    rounded: z.boolean().optional(),
  }),
  run: ({ celsius, to, rounded }) => {
    const degrees = to === "kelvin" ? celsius + 273.15 : celsius * 1.8 + 32;
    return `${rounded ? Math.round(degrees) : degrees} in ${to}`;
  },
});

console.log("strict:", "strict" in convert.definition && convert.definition.strict);
console.log(await convert.read('{"celsius":20,"to":null,"rounded":null}'));

// Invalid arguments are rejected. An agent sends the error message to the model, which can correct its call.
try {
  await convert.read('{"celsius":"warm"}');
} catch (error) {
  console.log((error as Error).message.split("\n")[1]);
}

const agent = new Agent({ model: "offline", tools: [convert] });
console.log((await agent.send("Convert 20 celsius to kelvin, please.")).text);

// Prints:
//   strict: true
//   { celsius: 20, to: 'fahrenheit' }
//   - /celsius: Invalid input: expected number, received string
//   The convert tool says: 293 in kelvin
