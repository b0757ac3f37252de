import { bodies, outputOf } from "./request.mjs";

/** The plain event iterator; it folds nothing. */
export default {
  name: "openai, `create`",
  package: "openai",
  load: () => import("openai"),
  open({ default: OpenAI }, { baseUrl, kind }) {
    const client = new OpenAI({ apiKey: "test", baseURL: baseUrl });
    const output = outputOf[kind];
    return async (tally) => {
      for await (const event of await client.responses.create(bodies[kind])) {
        const piece = output(event);
        if (piece !== undefined) tally.add(piece.length);
      }
    };
  },
};
