import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { mcpServer, type HttpServer, type McpOptions, type McpServer } from "../../src/mcp/index.ts";
import { serve } from "../transport/support/servers.ts";
import { httpServer, traced, until, use } from "./servers.ts";

function connected(options: HttpServer & McpOptions): McpServer {
  const server = mcpServer(options);
  onTestFinished(() => server.close());
  return server;
}

test("tools at an address are listed and called, with headers and progress", async () => {
  const { url } = await httpServer();
  const server = connected({ url, headers: { authorization: "Bearer key" } });
  expect((await server.listTools()).length).toBeGreaterThan(12);
  expect(await use(server, "headers")).toMatchObject({ result: "Bearer key" });
  expect(await use(server, "count", { to: 2 })).toEqual({
    result: "counted",
    progress: [
      { progress: 1, total: 2, message: "step 1" },
      { progress: 2, total: 2, message: "step 2" },
    ],
  });
});

test("requests go by the caller's own fetch where there is one", async () => {
  const { url } = await httpServer();
  let requests = 0;
  const counted = (...args: Parameters<typeof fetch>): Promise<Response> => {
    requests += 1;
    return fetch(...args);
  };
  await connected({ url, fetch: counted }).listTools();
  expect(requests).toBeGreaterThan(1);
});

test("a change of the list is heard", async () => {
  const { url } = await httpServer();
  const server = connected({ url });
  const before = await server.listTools();
  await use(server, "grow");
  await expect.poll(async () => (await server.listTools()).length).toBe(before.length + 1);
});

test("a call that is stopped is cancelled at the server", async () => {
  const trace = traced();
  const { url } = await httpServer({ TRACE: trace.path });
  const server = connected({ url });
  const controller = new AbortController();
  const call = use(server, "sleep", {}, controller.signal);
  await until(() => trace.lines().includes("sleeping"));
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: "ABORTED" });
  await until(() => trace.lines().includes("cancelled"));
});

test("a server that was started anew is greeted anew, and the call is made", async () => {
  const { url, server: machine } = await httpServer();
  const server = connected({ url });
  await use(server, "add", { a: 1, b: 1 });
  await machine.stop();
  await expect(use(server, "add", { a: 1, b: 1 })).rejects.toMatchObject({ code: "CONNECTION_ERROR" });
  await machine.start();
  expect(await use(server, "add", { a: 20, b: 1 })).toMatchObject({ result: "21" });
});

test("a server that forgot the session is greeted anew in the middle of things", async () => {
  const { url, server: machine } = await httpServer();
  const server = connected({ url });
  await use(server, "add", { a: 1, b: 1 });
  await machine.stop();
  await machine.start();
  expect(await use(server, "fail").catch((error: Error) => error.message)).toBe("The disk is full.");
});

test("a key that is refused is an error of its own kind", async () => {
  const { url } = await httpServer();
  const server = connected({ url, headers: { authorization: "Bearer wrong" } });
  await expect(server.listTools()).rejects.toMatchObject({ code: "AUTH_ERROR" });
});

test("a client of the caller's is used, asked for its tools every time, and left open", async () => {
  const { url } = await httpServer();
  const client = new Client({ name: "mine", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  const server = mcpServer({ client, prefix: "mine" });
  const before = await server.listTools();
  await use(server, "grow");
  expect((await server.listTools()).length).toBe(before.length + 1);
  await server.close();
  expect(await client.callTool({ name: "add", arguments: { a: 1, b: 2 } })).toMatchObject({ content: [{ text: "3" }] });
});

test("no error tells the headers, whatever the server repeats of them", async () => {
  const key = "sk-0123456789abcdef";
  const { origin } = await serve((response, { headers }) => response.writeHead(401).end(`Bad: ${headers["authorization"]}`));
  const server = connected({ url: `${origin}/mcp`, headers: { authorization: `Bearer ${key}` } });
  const error = await server.listTools().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "AUTH_ERROR", message: expect.stringContaining("Bad: ***") });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(key);
});
