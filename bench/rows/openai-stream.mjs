import { bodies, outputIn, outputOf } from "./request.mjs";

function open({ default: OpenAI }, { baseUrl, kind }) {
  const client = new OpenAI({ apiKey: "test", baseURL: baseUrl });
  const output = outputOf[kind];
  return async (tally) => {
    const stream = client.responses.stream(bodies[kind]);
    for await (const event of stream) {
      const piece = output(event);
      if (piece !== undefined) tally.add(piece.length);
    }
    return outputIn[kind](await stream.finalResponse()).length;
  };
}

/** The helper that folds the events into a response, as ours does. */
export default {
  name: "openai, `stream()`",
  package: "openai",
  load: () => import("openai"),
  open,
  // It parses the whole text at the end; there are no partial objects.
  openObject: open,
};
