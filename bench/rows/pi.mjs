import { input, writeFile } from "./request.mjs";

const deltaTypes = { text: "text_delta", arguments: "toolcall_delta" };

export default {
  name: "pi-ai",
  package: "@mariozechner/pi-ai",
  lacks: { image: "drops generated images" },
  load: () => import("@mariozechner/pi-ai"),
  open({ stream }, { baseUrl, kind }) {
    const model = {
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
    };
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
};
