// @ts-nocheck plain JavaScript, since it runs as a child process
// A small MCP server for tests, over stdio (`node server.mjs`) or HTTP on loopback (`node server.mjs http <port>`, 0 for any).
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { appendFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const text = (value) => ({ content: [{ type: "text", text: value }] });
/** Does not keep the process from ending. */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());
/** Leaves a trace that outlives the process; the test names the file. */
const trace = (line) => appendFileSync(process.env.TRACE, `${line}\n`);
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let extra = false;
let lastAuthorization = "";

const progress = (ctx, told) => {
  const progressToken = ctx.mcpReq["_meta"]?.progressToken;
  return ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, ...told } });
};

const tools = {
  add: {
    description: "Adds two numbers.",
    inputSchema: object({ a: { type: "number" }, b: { type: "number", default: 1 } }, ["a"]),
    annotations: { readOnlyHint: true },
    run: ({ a, b }) => text(String(a + b)),
  },
  "files/read.text": { inputSchema: object({}), run: () => text("read") },
  "files/read text": { inputSchema: object({}), run: () => text("read, spaced") },
  draw: {
    inputSchema: object({}),
    run: () => ({
      content: [
        { type: "text", text: "A pixel:" },
        { type: "image", data: pixel, mimeType: "image/png" },
        { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///notes.txt", mimeType: "text/plain", text: "notes" } },
        { type: "resource", resource: { uri: "file:///a/b.pdf", mimeType: "application/pdf", blob: "JVBERi0=" } },
        { type: "resource_link", uri: "https://example.com/x", name: "x" },
      ],
    }),
  },
  measure: {
    inputSchema: object({}),
    outputSchema: object({ celsius: { type: "number" } }),
    run: () => ({ content: [], structuredContent: { celsius: 21 } }),
  },
  forecast: {
    inputSchema: object({}),
    run: () => ({ ...text("mild"), structuredContent: { celsius: 21 } }),
  },
  fail: { inputSchema: object({}), run: () => ({ ...text("The disk is full."), isError: true }) },
  count: {
    inputSchema: object({ to: { type: "integer" } }),
    annotations: { destructiveHint: false },
    run: async ({ to }, ctx) => {
      for (let at = 1; at <= to; at += 1) {
        await progress(ctx, { progress: at, total: to, message: `step ${at}` });
        // The client drops progress that it reads together with the result, so wait until it has read this.
        await ctx.mcpReq.send({ method: "ping" });
      }
      return text("counted");
    },
  },
  sleep: {
    inputSchema: object({}),
    run: async (_, ctx) => {
      trace("sleeping");
      ctx.mcpReq.signal.addEventListener("abort", () => trace("cancelled"));
      await progress(ctx, { progress: 0 });
      await wait(60_000);
      return text("slept");
    },
  },
  big: { inputSchema: object({ size: { type: "integer" } }), run: ({ size }) => text("x".repeat(size)) },
  "big-picture": {
    inputSchema: object({ size: { type: "integer" } }),
    run: ({ size }) => ({ content: [{ type: "image", data: "A".repeat(size), mimeType: "image/png" }] }),
  },
  grow: {
    inputSchema: object({}),
    run: async (_, ctx) => {
      extra = true;
      await ctx.mcpReq.notify({ method: "notifications/tools/list_changed" });
      return text("grown");
    },
  },
  crash: {
    inputSchema: object({}),
    annotations: { readOnlyHint: false, destructiveHint: true },
    run: () => {
      trace("crash");
      process.exit(1);
    },
  },
  "crash-once": {
    inputSchema: object({}),
    annotations: { readOnlyHint: true },
    run: () => {
      if (readFileSync(process.env.TRACE, "utf8").includes("crash-once")) return text("survived");
      trace("crash-once");
      process.exit(1);
    },
  },
  env: { inputSchema: object({ name: { type: "string" } }), run: ({ name }) => text(process.env[name] ?? "(unset)") },
  cwd: { inputSchema: object({}), run: () => text(process.cwd()) },
  headers: { inputSchema: object({}), run: () => text(lastAuthorization) },
  pid: { inputSchema: object({}), run: () => text(String(process.pid)) },
  client: { inputSchema: object({}), run: (_, __, server) => text(JSON.stringify(server.getClientVersion())) },
};

const pageSize = 4;

function build() {
  const server = new Server(
    { name: "test-server", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } }, instructions: "Be kind." },
  );
  server.setRequestHandler("tools/list", (request) => {
    const names = [...Object.keys(tools), ...(extra ? ["grown"] : [])];
    const from = Number(request.params?.cursor ?? 0);
    const page = names.slice(from, from + pageSize).map((name) => {
      const { run: _, ...about } = tools[name] ?? { inputSchema: object({}) };
      return { name, ...about };
    });
    return { tools: page, ...(from + pageSize < names.length ? { nextCursor: String(from + pageSize) } : {}) };
  });
  server.setRequestHandler("tools/call", (request, ctx) => {
    const tool = tools[request.params.name];
    if (!tool) throw new Error(`There is no ${request.params.name}.`);
    return tool.run(request.params.arguments ?? {}, ctx, server);
  });
  return server;
}

async function serveHttp(port) {
  const sessions = new Map();
  const http = createServer((req, res) => void handle(req, res));
  async function handle(req, res) {
    if (req.headers.authorization === "Bearer wrong") {
      res.writeHead(401).end();
      return;
    }
    lastAuthorization = req.headers.authorization ?? "";
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const request = new Request(`http://127.0.0.1${req.url}`, { method: req.method, headers: req.headers, body, duplex: "half" });
    const response = await respond(request);
    res.writeHead(response.status, Object.fromEntries(response.headers));
    res.flushHeaders();
    if (response.body) for await (const chunk of response.body) res.write(chunk);
    res.end();
  }
  async function respond(request) {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known) return known.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return new Response("Session not found", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await build().connect(transport);
    return transport.handleRequest(request);
  }
  http.listen(port, "127.0.0.1", () => process.stdout.write(String(http.address().port)));
}

if (process.argv[2] === "http") await serveHttp(Number(process.argv[3]));
else await build().connect(new StdioServerTransport());
