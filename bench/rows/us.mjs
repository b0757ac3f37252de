import { bodies, input, outputIn, outputOf, rows, writeFile, written } from "./request.mjs";

const built = new URL("../../packages/antiphon/dist/index.js", import.meta.url);

/** `options` are those of `connect`: without any, Node's own HTTP client carries the bytes. */
export const antiphon = (name, options) => ({
  name,
  own: true,
  load: () => import(built.href),
  open({ connect, provider }, { baseUrl, kind }) {
    const respond = connect(provider("openai:bench-model", { apiKey: "test", baseUrl }), options());
    const { stream: _, ...request } = bodies[kind];
    const output = outputOf[kind];
    return async (tally) => {
      let response;
      for await (const event of respond(request)) {
        const piece = output(event);
        if (piece !== undefined) tally.add(piece.length);
        if (event.type === "response.completed") response = event.response;
      }
      return outputIn[kind](response).length;
    };
  },
  openLoop({ Agent, provider, tool }, { baseUrl }) {
    const { parameters, ...named } = writeFile;
    const agent = new Agent({
      model: provider("openai:bench-model", { apiKey: "test", baseUrl }),
      connect: options(),
      tools: [tool({ ...named, input: parameters, run: () => written })],
    });
    return async (tally) => {
      const stream = agent.stream(input);
      for await (const event of stream) if (event.type === "response.output_text.delta") tally.add(event.delta.length);
      return (await stream.reply).text.length;
    };
  },
  openObject({ Agent, provider }, { baseUrl }) {
    const model = provider("openai:bench-model", { apiKey: "test", baseUrl });
    const agent = new Agent({ model, connect: options(), output: rows });
    return async (tally) => {
      const stream = agent.stream(input);
      for await (const _ of stream.partial()) tally.add(0);
      const { text, output } = await stream.reply;
      if (!Array.isArray(output.rows)) throw new Error("The answer is no list of rows.");
      tally.add(text.length);
      return text.length;
    };
  },
});

export default antiphon("antiphon (`node:http`)", () => ({}));
