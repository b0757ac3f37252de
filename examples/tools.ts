// A tool loop by hand: run the functions that the model calls, send the results back, and repeat.
import { collect, connect, functionCallOutput, functionCalls, functionTool, provider, text, user } from "antiphon";
import type { InputItem } from "antiphon";

const weather = functionTool("weather", "Returns the weather in a city.", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
});

const respond = connect(provider("offline"));
const input: InputItem[] = [user("What is the weather in Oslo?")];

for (;;) {
  const response = await collect(respond({ input, tools: [weather] }));
  const calls = functionCalls(response);
  if (calls.length === 0) {
    console.log(text(response));
    break;
  }
  input.push(...response.output);
  for (const call of calls) {
    console.log(`${call.name} ${call.arguments}`);
    input.push(functionCallOutput(call.call_id, "4 °C and rain"));
  }
}

// Prints:
//   weather {"city":"Oslo"}
//   The weather tool says: 4 °C and rain
