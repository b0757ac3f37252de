// Typed output without an agent: a JSON Schema in the request.
import { collect, connect, provider, refusal, text, type JsonSchema } from "antiphon";

const schema: JsonSchema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" } },
  required: ["city", "celsius"],
  additionalProperties: false,
};

const respond = connect(provider("offline"));
const response = await collect(
  respond({
    input: "How warm is it in Oslo?",
    text: { format: { type: "json_schema", name: "report", schema, strict: true } },
  }),
);

const refused = refusal(response);
if (refused !== undefined) throw new Error(refused);
const report = JSON.parse(text(response)) as { city: string; celsius: number };
console.log(`${report.city}: ${report.celsius} °C`);

// Prints:
//   Oslo: 99 °C
