import { createServer, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { containerEndpoint, type ContainerEndpoint, type SimulatedContainers } from "../../src/testing/containers.ts";
import { listen } from "../transport/support/servers.ts";

/** A simulated container endpoint on a real socket, until the test ends. */
export async function serveContainers(
  containers: SimulatedContainers,
): Promise<{ origin: string; endpoint: ContainerEndpoint; headers: Headers[] }> {
  const endpoint = containerEndpoint(containers);
  const headers: Headers[] = [];
  const server = createServer((incoming, outgoing) => {
    const left = new AbortController();
    outgoing.once("close", () => left.abort());
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: headersOf(incoming),
      signal: left.signal,
    });
    headers.push(request.headers);
    void endpoint(request).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (!response.body) return outgoing.end();
      // A client that leaves in the middle is what some tests are about.
      return pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing).catch(() => {});
    });
  });
  const { origin } = await listen(server);
  return { origin, endpoint, headers };
}

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) copy.set(name, String(value));
  return copy;
};
