import { EventLines } from "./event-lines.mjs";
import { bodies, handLoop, headers, outputOf } from "./request.mjs";

async function send(url, body, onEvent) {
  const lines = new EventLines(onEvent);
  const response = await fetch(url, { method: "POST", headers, body });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    lines.push(decoder.decode(read.value, { stream: true }));
}

function open(_, { baseUrl, kind }) {
  const body = JSON.stringify(bodies[kind]);
  const output = outputOf[kind];
  return (tally) =>
    send(`${baseUrl}/responses`, body, (event) => {
      const piece = output(event);
      if (piece !== undefined) tally.add(piece.length);
    });
}

/** What one would write by hand: `fetch`, split lines, parse each event. All ratios are taken against this row. */
export default {
  name: "floor: by hand (`fetch`)",
  load: async () => ({ fetch }),
  open,
  // Nothing is made of the object but its text: what it costs to read a stream that carries one.
  openObject: open,
  openLoop: (_, { baseUrl }) => handLoop((body, onEvent) => send(`${baseUrl}/responses`, body, onEvent)),
};
