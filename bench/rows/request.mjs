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

/** The schema of the objects. */
export const rows = {
  type: "object",
  properties: {
    rows: {
      type: "array",
      items: {
        type: "object",
        properties: { name: { type: "string" }, score: { type: "number" } },
        required: ["name", "score"],
        additionalProperties: false,
      },
    },
  },
  required: ["rows"],
  additionalProperties: false,
};

/** What the tool of a loop gives back. */
export const written = `Written: ${"garden ".repeat(30)}`;

/** The request body of the Responses API, by kind of answer. */
export const bodies = {
  text: { model: "bench-model", input, stream: true },
  arguments: { model: "bench-model", input, stream: true, tools: [functionTool] },
  image: { model: "bench-model", input, stream: true, tools: [{ type: "image_generation" }] },
  object: {
    model: "bench-model",
    input,
    stream: true,
    text: { format: { type: "json_schema", name: "rows", schema: rows, strict: true } },
  },
};

/** The request body of a step of the loop. */
export const loopBody = (items) => ({ model: "bench-model", input: items, stream: true, tools: [functionTool] });

/** What a hand-written loop adds after a step: the answer, and a result for each of its calls. */
export function answered({ output }) {
  const calls = output.filter(({ type }) => type === "function_call");
  const results = calls.map(({ call_id, arguments: text }) => {
    if (typeof JSON.parse(text).content !== "string") throw new Error("The call came without its content.");
    return { type: "function_call_output", call_id, output: written };
  });
  return { done: calls.length === 0, items: [...output, ...results] };
}

/** A loop by hand over a function that sends a body and gives its events to a listener. */
export const handLoop = (send) => async (tally) => {
  const items = [{ role: "user", content: input }];
  for (let done = false; !done;) {
    let response;
    await send(JSON.stringify(loopBody(items)), (event) => {
      if (event.type === "response.output_text.delta") tally.add(event.delta.length);
      else if (event.type === "response.completed") response = event.response;
    });
    const step = answered(response);
    items.push(...step.items);
    ({ done } = step);
  }
};

const textOf = (event) => (event.type === "response.output_text.delta" ? event.delta : undefined);

/** The part of an event that is output, by kind of answer; `undefined` for events that carry none. */
export const outputOf = {
  text: textOf,
  object: textOf,
  arguments: (event) => (event.type === "response.function_call_arguments.delta" ? event.delta : undefined),
  image: (event) =>
    event.type === "response.output_item.done" && event.item.type === "image_generation_call" ? event.item.result : undefined,
};

/** The same output in a whole response. */
export const outputIn = {
  object: ({ output }) => output[0].content[0].text,
  text: ({ output }) => output[0].content[0].text,
  arguments: ({ output }) => output[0].arguments,
  image: ({ output }) => output[0].result,
};

export const headers = { "content-type": "application/json", authorization: "Bearer test" };
