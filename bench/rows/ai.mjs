import { input, rows, writeFile, written } from "./request.mjs";

const toolsOf = {
  text: () => undefined,
  arguments: ({ tool, jsonSchema }) => ({
    [writeFile.name]: tool({ description: writeFile.description, inputSchema: jsonSchema(writeFile.parameters) }),
  }),
  image: (_, openai) => ({ image_generation: openai.tools.imageGeneration() }),
};

const outputOf = {
  text: (part) => (part.type === "text-delta" ? part.text : undefined),
  arguments: (part) => (part.type === "tool-input-delta" ? part.delta : undefined),
  image: (part) => (part.type === "tool-result" ? part.output.result : undefined),
};

/** The full stream of parts; the text stream costs the same. */
export default {
  name: "AI SDK",
  package: ["ai", "@ai-sdk/openai"],
  load: async () => ({ ...(await import("ai")), ...(await import("@ai-sdk/openai")) }),
  open(sdk, { baseUrl, kind }) {
    const openai = sdk.createOpenAI({ apiKey: "test", baseURL: baseUrl });
    const tools = toolsOf[kind](sdk, openai);
    const output = outputOf[kind];
    return async (tally) => {
      const result = sdk.streamText({ model: openai.responses("bench-model"), prompt: input, tools });
      for await (const part of result.fullStream) {
        const piece = output(part);
        if (piece !== undefined) tally.add(piece.length);
        else if (part.type === "error") throw part.error;
      }
      return kind === "text" ? (await result.text).length : undefined;
    };
  },
  openLoop(sdk, { baseUrl }) {
    const model = sdk.createOpenAI({ apiKey: "test", baseURL: baseUrl }).responses("bench-model");
    const { description, parameters } = writeFile;
    const tool = sdk.tool({ description, inputSchema: sdk.jsonSchema(parameters), execute: () => written });
    return async (tally) => {
      // What is sent back stands in the request: the mock counts results there, not stored items.
      const providerOptions = { openai: { store: false } };
      const tools = { [writeFile.name]: tool };
      const result = sdk.streamText({ model, prompt: input, tools, providerOptions, stopWhen: sdk.stepCountIs(10) });
      for await (const part of result.fullStream) {
        if (part.type === "text-delta") tally.add(part.text.length);
        else if (part.type === "error") throw part.error;
      }
      return (await result.text).length;
    };
  },
  openObject(sdk, { baseUrl }) {
    const model = sdk.createOpenAI({ apiKey: "test", baseURL: baseUrl }).responses("bench-model");
    return async (tally) => {
      const output = sdk.Output.object({ schema: sdk.jsonSchema(rows) });
      const result = sdk.streamText({ model, prompt: input, output });
      for await (const _ of result.partialOutputStream) tally.add(0);
      const { length } = await result.text;
      tally.add(length);
      return length;
    };
  },
};
