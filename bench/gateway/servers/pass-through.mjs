/** As little as a gateway can do: takes a request in, sends it on over a kept connection, and pipes the answer back. */
import { Agent, createServer, request as send } from "node:http";
import { meter } from "./meter.mjs";

const { hostname, port } = new URL(process.argv[2]);
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const { method, headers, url: path } = request;
  const { host: _, connection: __, ...rest } = headers;
  const upstream = send({ agent, hostname, port, method, path, headers: rest }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  upstream.on("error", () => response.destroy());
  request.pipe(upstream);
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", 4096, () => meter(server.address().port));
