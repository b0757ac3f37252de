import { EventLines } from "./event-lines.mjs";
import { bodies, handLoop, headers, outputOf } from "./request.mjs";

const sender =
  ({ Agent, request }, baseUrl, agent = new Agent({ keepAlive: true })) =>
  (body, onEvent) =>
    new Promise((resolve, reject) => {
      const lines = new EventLines(onEvent);
      const sent = request(`${baseUrl}/responses`, { method: "POST", headers, agent }, (response) => {
        response.setEncoding("utf8");
        response.on("data", (text) => lines.push(text));
        response.on("end", resolve);
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });

function open(http, { baseUrl, kind }) {
  const send = sender(http, baseUrl);
  const body = JSON.stringify(bodies[kind]);
  const output = outputOf[kind];
  return (tally) =>
    send(body, (event) => {
      const piece = output(event);
      if (piece !== undefined) tally.add(piece.length);
    });
}

/** The row by hand on `node:http` instead of `fetch`. */
export default {
  name: "floor: by hand (`node:http`)",
  load: () => import("node:http"),
  open,
  openObject: open,
  openLoop: (http, { baseUrl }) => handLoop(sender(http, baseUrl)),
};
