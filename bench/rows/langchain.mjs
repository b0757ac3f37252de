import { input, writeFile, written } from "./request.mjs";

const toolsOf = {
  text: [],
  arguments: [{ type: "function", function: writeFile }],
  image: [{ type: "image_generation" }],
};

const blockOf = (chunk, type, field) => chunk.content.find?.((block) => block.type === type)?.[field];

const outputOf = {
  text: (chunk) => (typeof chunk.content === "string" ? chunk.content : blockOf(chunk, "text", "text")) || undefined,
  arguments: (chunk) => chunk.tool_call_chunks?.[0]?.args || undefined,
  image: (chunk) => blockOf(chunk, "image", "data"),
};

const textOf = outputOf.text;

const modelAt = ({ ChatOpenAI }, baseUrl) =>
  new ChatOpenAI({ model: "bench-model", apiKey: "test", useResponsesApi: true, configuration: { baseURL: baseUrl } });

/** Chunks as they come, not concatenated: adding them up costs more. */
export default {
  name: "LangChain",
  package: "@langchain/openai",
  load: () => import("@langchain/openai"),
  open(langchain, { baseUrl, kind }) {
    const chat = modelAt(langchain, baseUrl);
    const model = toolsOf[kind].length > 0 ? chat.bindTools(toolsOf[kind]) : chat;
    const output = outputOf[kind];
    return async (tally) => {
      for await (const chunk of await model.stream(input)) {
        const piece = output(chunk);
        if (piece !== undefined) tally.add(piece.length);
      }
    };
  },
  openLoop(langchain, { baseUrl }) {
    const model = modelAt(langchain, baseUrl).bindTools(toolsOf.arguments);
    return async (tally) => {
      const messages = [{ role: "user", content: input }];
      for (let calls = [undefined]; calls.length > 0;) {
        let message;
        for await (const chunk of await model.stream(messages)) {
          const piece = textOf(chunk);
          if (piece !== undefined) tally.add(piece.length);
          message = message ? message.concat(chunk) : chunk;
        }
        calls = message.tool_calls;
        messages.push(message, ...calls.map(({ id }) => ({ role: "tool", content: written, tool_call_id: id })));
      }
    };
  },
};
