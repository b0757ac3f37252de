import { EventLines } from "./event-lines.mjs";
import { bodies, headers, outputOf } from "./request.mjs";

/** The row by hand on `node:http` instead of `fetch`. */
export default {
  name: "floor: by hand (`node:http`)",
  load: () => import("node:http"),
  open({ Agent, request }, { baseUrl, kind }) {
    const agent = new Agent({ keepAlive: true });
    const body = JSON.stringify(bodies[kind]);
    const output = outputOf[kind];
    return (tally) =>
      new Promise((resolve, reject) => {
        const lines = new EventLines((event) => {
          const piece = output(event);
          if (piece !== undefined) tally.add(piece.length);
        });
        const sent = request(`${baseUrl}/responses`, { method: "POST", headers, agent }, (response) => {
          response.setEncoding("utf8");
          response.on("data", (text) => lines.push(text));
          response.on("end", resolve);
          response.on("error", reject);
        });
        sent.on("error", reject);
        sent.end(body);
      });
  },
};
