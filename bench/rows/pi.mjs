import { input, written, writeFile } from "./request.mjs";

const deltaTypes = { text: "text_delta", arguments: "toolcall_delta" };

const modelAt = (baseUrl) => ({
  id: "bench-model",
  name: "bench-model",
  api: "openai-responses",
  provider: "openai",
  baseUrl,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 100_000,
});

const resultOf = ({ id, name }) => ({
  role: "toolResult",
  toolCallId: id,
  toolName: name,
  content: [{ type: "text", text: written }],
  isError: false,
  timestamp: 0,
});

export default {
  name: "pi-ai",
  package: "@mariozechner/pi-ai",
  lacks: { image: "drops generated images" },
  load: () => import("@mariozechner/pi-ai"),
  open({ stream }, { baseUrl, kind }) {
    const model = modelAt(baseUrl);
    const tools = kind === "arguments" ? [writeFile] : [];
    const deltaType = deltaTypes[kind];
    return async (tally) => {
      const messages = [{ role: "user", content: input, timestamp: 0 }];
      const events = stream(model, { messages, tools }, { apiKey: "test" });
      for await (const event of events) {
        if (event.type === deltaType) tally.add(event.delta.length);
        else if (event.type === "error") throw new Error(event.error.errorMessage);
      }
      const message = await events.result();
      return kind === "text" ? message.content[0].text.length : undefined;
    };
  },
  // The package has no loop of its own: this is the one that its documentation shows.
  openLoop({ stream }, { baseUrl }) {
    const model = modelAt(baseUrl);
    return async (tally) => {
      const messages = [{ role: "user", content: input, timestamp: 0 }];
      for (let calls = [undefined]; calls.length > 0;) {
        const events = stream(model, { messages, tools: [writeFile] }, { apiKey: "test" });
        for await (const event of events) {
          if (event.type === "text_delta") tally.add(event.delta.length);
          else if (event.type === "error") throw new Error(event.error.errorMessage);
        }
        const message = await events.result();
        calls = message.content.filter(({ type }) => type === "toolCall");
        messages.push(message, ...calls.map(resultOf));
      }
    };
  },
};
