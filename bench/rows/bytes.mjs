import { bodies, headers } from "./request.mjs";

/** `fetch`, and nothing but counting what it gives. */
export default {
  name: "floor: bytes only (`fetch`)",
  counts: "bytes",
  load: async () => ({ fetch }),
  open({ fetch }, { baseUrl, kind }) {
    const body = JSON.stringify(bodies[kind]);
    return async (tally) => {
      const response = await fetch(`${baseUrl}/responses`, { method: "POST", headers, body });
      const reader = response.body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) tally.add(read.value.length);
    };
  },
};
