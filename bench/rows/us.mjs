import { bodies, outputIn, outputOf } from "./request.mjs";

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
});

export default antiphon("antiphon (`node:http`)", () => ({}));
