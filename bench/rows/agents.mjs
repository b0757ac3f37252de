import { input, outputOf, writeFile, written } from "./request.mjs";

const toolsOf = {
  text: () => [],
  arguments: ({ tool }) => [tool({ ...writeFile, execute: () => "Written." })],
  image: ({ imageGenerationTool }) => [imageGenerationTool()],
};

/** The runner's raw events: its text stream costs more. The tool's result ends the run, so that a run is one request. */
export default {
  name: "Agents SDK",
  package: "@openai/agents",
  load: () => import("@openai/agents"),
  open(sdk, { baseUrl, kind }) {
    const modelProvider = new sdk.OpenAIProvider({ apiKey: "test", baseURL: baseUrl, useResponses: true });
    const runner = new sdk.Runner({ modelProvider, tracingDisabled: true });
    const agent = new sdk.Agent({
      name: "bench",
      model: "bench-model",
      tools: toolsOf[kind](sdk),
      toolUseBehavior: "stop_on_first_tool",
    });
    const output = outputOf[kind];
    return async (tally) => {
      const run = await runner.run(agent, input, { stream: true });
      for await (const { type, data } of run) {
        if (type !== "raw_model_stream_event" || data.type !== "model") continue;
        const piece = output(data.event);
        if (piece !== undefined) tally.add(piece.length);
      }
      await run.completed;
      return kind === "text" ? run.finalOutput.length : undefined;
    };
  },
  openLoop(sdk, { baseUrl }) {
    const modelProvider = new sdk.OpenAIProvider({ apiKey: "test", baseURL: baseUrl, useResponses: true });
    const runner = new sdk.Runner({ modelProvider, tracingDisabled: true });
    const tools = [sdk.tool({ ...writeFile, execute: () => written })];
    const agent = new sdk.Agent({ name: "bench", model: "bench-model", tools });
    return async (tally) => {
      const run = await runner.run(agent, input, { stream: true });
      for await (const { type, data } of run) {
        if (type !== "raw_model_stream_event" || data.type !== "model") continue;
        const piece = outputOf.text(data.event);
        if (piece !== undefined) tally.add(piece.length);
      }
      await run.completed;
      return run.finalOutput.length;
    };
  },
};
