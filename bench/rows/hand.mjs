import { EventLines } from "./event-lines.mjs";
import { bodies, headers, outputOf } from "./request.mjs";

/** What one would write by hand: `fetch`, split lines, parse each event. All ratios are taken against this row. */
export default {
  name: "floor: by hand (`fetch`)",
  load: async () => ({ fetch }),
  open({ fetch }, { baseUrl, kind }) {
    const body = JSON.stringify(bodies[kind]);
    const output = outputOf[kind];
    return async (tally) => {
      const lines = new EventLines((event) => {
        const piece = output(event);
        if (piece !== undefined) tally.add(piece.length);
      });
      const response = await fetch(`${baseUrl}/responses`, { method: "POST", headers, body });
      const decoder = new TextDecoder();
      const reader = response.body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read())
        lines.push(decoder.decode(read.value, { stream: true }));
    };
  },
};
