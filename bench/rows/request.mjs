/** What every row asks for: the mock answers by path alone, so this is only what a client needs in order to ask. */
export const input = "Write.";

export const writeFile = {
  name: "write_file",
  description: "Writes a file.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, content: { type: "string" } },
    required: ["path", "content"],
    additionalProperties: false,
  },
};

const functionTool = { type: "function", ...writeFile, strict: true };

/** The request body of the Responses API, by kind of answer. */
export const bodies = {
  text: { model: "bench-model", input, stream: true },
  arguments: { model: "bench-model", input, stream: true, tools: [functionTool] },
  image: { model: "bench-model", input, stream: true, tools: [{ type: "image_generation" }] },
};

/** The part of an event that is output, by kind of answer; `undefined` for events that carry none. */
export const outputOf = {
  text: (event) => (event.type === "response.output_text.delta" ? event.delta : undefined),
  arguments: (event) => (event.type === "response.function_call_arguments.delta" ? event.delta : undefined),
  image: (event) =>
    event.type === "response.output_item.done" && event.item.type === "image_generation_call" ? event.item.result : undefined,
};

/** The same output in a whole response. */
export const outputIn = {
  text: ({ output }) => output[0].content[0].text,
  arguments: ({ output }) => output[0].arguments,
  image: ({ output }) => output[0].result,
};

export const headers = { "content-type": "application/json", authorization: "Bearer test" };
