// Tools from schemas: Zod, Valibot, ArkType or plain JSON Schema. The input has the schema's type, and is checked against it.
import { Agent, tool } from "antiphon";
import { z } from "zod";

const convert = tool({
  name: "convert",
  description: "Converts a temperature.",
  // Optional and default fields are fine: strict schemas know neither, so the model writes null, and what is meant is put in.
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

// What does not fit goes back to the model, in words that it can act on.
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
