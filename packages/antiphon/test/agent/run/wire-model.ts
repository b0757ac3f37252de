import type { ServerResponse } from "node:http";
import { geminiRoute } from "../../../src/codecs/gemini/index.ts";
import { AntiphonError } from "../../../src/core/error.ts";
import { batchesOf, type Respond } from "../../../src/core/respond.ts";
import { connect } from "../../../src/transport/connect.ts";
import { serve } from "../../transport/support/servers.ts";
import { wires, type WireName, type WirePair } from "../../wires/chain.ts";

/** A model on the other side of a real socket, which both ends speak a wire over. */
export async function behindWire(wire: WireName, model: Respond): Promise<Respond> {
  const { codec, server } = wires[wire];
  const { origin } = await serve((response, { url, body }) => answer(server, model, response, url, body));
  return connect({ name: wire, baseUrl: `${origin}/v1`, codec, model: "test-model", headers: () => ({}) });
}

async function answer(server: WirePair["server"], model: Respond, response: ServerResponse, url: string, body: string) {
  const stop = new AbortController();
  response.once("close", () => stop.abort());
  try {
    const { pathname } = new URL(url, "http://localhost");
    const asked = server.decodeRequest({ ...(JSON.parse(body) as object), ...geminiRoute(pathname) });
    const batches = batchesOf(model(asked, { signal: stop.signal }));
    const encoder = server.createEncoder(asked);
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        next.value
          .flatMap((event) => encoder.push(event))
          .map(server.encodeFrame)
          .join(""),
      );
    }
    response.end(encoder.end().map(server.encodeFrame).join("") + server.lastFrame);
  } catch (thrown) {
    if (!(thrown instanceof AntiphonError) || response.headersSent) return response.destroy();
    const { status, body: told } = server.encodeError(thrown);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(told));
  }
}
