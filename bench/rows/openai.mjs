import { answered, bodies, input, loopBody, outputOf } from "./request.mjs";

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
  openLoop({ default: OpenAI }, { baseUrl }) {
    const client = new OpenAI({ apiKey: "test", baseURL: baseUrl });
    return async (tally) => {
      const items = [{ role: "user", content: input }];
      for (let done = false; !done;) {
        let response;
        for await (const event of await client.responses.create(loopBody(items))) {
          if (event.type === "response.output_text.delta") tally.add(event.delta.length);
          else if (event.type === "response.completed") response = event.response;
        }
        const step = answered(response);
        items.push(...step.items);
        ({ done } = step);
      }
    };
  },
};
