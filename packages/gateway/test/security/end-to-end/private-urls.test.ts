import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { SocketClient } from "../../support/client.ts";
import { ask, serve } from "./support/gateways.ts";

/** Counts who knocks. */
async function canary(): Promise<{ port: number; readonly visits: number }> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get visits() {
      return visits;
    },
  };
}

/** The same place, written in every way that somebody may have thought of. */
const spellings = (port: number): string[] => [
  `http://127.0.0.1:${port}/`,
  `http://localhost:${port}/`,
  `http://LOCALHOST.:${port}/`,
  `http://[::1]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f.1:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://127。0。0。1:${port}/`,
  `http://x@127.0.0.1:${port}/`,
  `http:127.0.0.1:${port}/`,
  `http:\\\\127.0.0.1:${port}\\`,
  ` http://127.0.0.1:${port}/`,
  `HTTP://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/`,
  "file:///etc/passwd",
  "http://169.254.169.254/latest/meta-data/",
  "http://metadata.google.internal/",
  "http://[fd00:ec2::254]/",
  "http://10.0.0.1/",
  "http://redis:6379/",
  "gs://bucket/key",
];

const message = (...content: object[]): object => ({ type: "message", role: "user", content });
const called = (type: string, output: unknown): object[] => [
  { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
  { type, call_id: "c", output },
];

/** Everywhere in a request that a URL can stand. */
const places: Readonly<Record<string, (url: string) => object>> = {
  "a picture": (image_url) => ({ input: [message({ type: "input_image", image_url })] }),
  "a file": (file_url) => ({ input: [message({ type: "input_file", file_url })] }),
  "a file in the place of its id": (file_id) => ({ input: [message({ type: "input_file", file_id })] }),
  "a video": (video_url) => ({ input: [message({ type: "input_video", video_url })] }),
  "a part that nobody knows": (uri) => ({ input: [message({ type: "acme:thing", deep: [{ uri }] })] }),
  "a message without a type": (image_url) => ({ input: [{ role: "user", content: [{ type: "input_image", image_url }] }] }),
  "the output of a tool": (image_url) => ({ input: called("function_call_output", [{ type: "input_image", image_url }]) }),
  "the output of a tool of one's own": (file_url) => ({
    input: [
      { type: "custom_tool_call", call_id: "c", name: "f", input: "" },
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_file", file_url }] },
    ],
  }),
  "a screenshot": (image_url) => ({
    input: [
      {
        type: "computer_call",
        call_id: "c",
        id: "cu_1",
        action: { type: "screenshot" },
        pending_safety_checks: [],
        status: "completed",
      },
      { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url } },
    ],
  }),
  "an item that nobody knows": (image_url) => ({ input: [{ type: "acme:item", content: { image_url } }] }),
  "an MCP server": (server_url) => ({ tools: [{ type: "mcp", server_label: "a", server_url }] }),
  "an MCP server in a group of tools": (server_url) => ({
    tools: [{ type: "namespace", name: "n", tools: [{ type: "mcp", server_label: "a", server_url }] }],
  }),
  "an MCP server among found tools": (server_url) => ({
    input: [{ type: "tool_search_output", call_id: null, tools: [{ type: "mcp", server_label: "a", server_url }] }],
  }),
  "an MCP server among added tools": (server_url) => ({
    input: [{ type: "additional_tools", role: "developer", tools: [{ type: "mcp", server_label: "a", server_url }] }],
  }),
  "a tool that nobody knows": (webhook_url) => ({ tools: [{ type: "acme:tool", settings: { webhook_url } }] }),
  "a variable of a prompt": (image_url) => ({ prompt: { id: "p", variables: { picture: { type: "input_image", image_url } } } }),
};

const responses = ["POST /v1/responses", "POST /openai/v1/responses", "POST /v1/responses/compact"];

describe("a URL into a private network", () => {
  test("is refused wherever it stands, and nobody goes there", async () => {
    const canaryServer = await canary();
    const { url } = await serve({ models: { offline: "offline" } });
    const [plain = ""] = spellings(canaryServer.port);
    const socket = await new SocketClient(`${url}/v1/responses`).open();
    for (const [place, body] of Object.entries(places)) {
      for (const route of responses) {
        const { status, text } = await ask(url, route, {}, { model: "offline", input: "Hi", ...body(plain) });
        expect({ place, route, status, text }).toEqual({
          place,
          route,
          status: 400,
          text: expect.stringContaining("The URL in"),
        });
      }
      const told = await socket.turn({ model: "offline", input: "Hi", ...body(plain) });
      expect({ place, told }).toMatchObject({ place, told: [{ type: "error", status: 400 }] });
      const { input } = body(plain) as { input?: object[] };
      if (!input) continue;
      expect({ place, ...(await ask(url, "POST /v1/conversations", {}, { items: input })) }).toMatchObject({
        place,
        status: 400,
      });
    }
    socket.close();
    expect(canaryServer.visits).toBe(0);
  });

  test("is refused however it is written", async () => {
    const canaryServer = await canary();
    const { url } = await serve({ models: { offline: "offline" } });
    for (const bad of spellings(canaryServer.port)) {
      const { status, text } = await ask(url, "POST /v1/responses", {}, { model: "offline", ...places["a picture"]!(bad) });
      expect({ bad, status, text }).toEqual({ bad, status: 400, text: expect.stringContaining("The URL in") });
    }
    expect(canaryServer.visits).toBe(0);
  });

  test("does not get through in the prototype of an item", async () => {
    const asked: string[] = [];
    const server = createHttpServer((request, response) => {
      request.on("data", (piece) => asked.push(String(piece))).once("end", () => response.writeHead(500).end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => server.close().closeAllConnections());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const { url } = await serve({
      providers: { up: { wire: "chat", baseUrl, apiKey: "none" } },
      models: { up: { use: "up:m", retries: 0 } },
    });
    const hidden = JSON.stringify({ output: [{ type: "input_image", image_url: "http://169.254.169.254/" }] });
    for (const name of ["__proto__", "\\u005f_proto__", "__prot\\u006F__"]) {
      const item = `{"type":"function_call_output","id":"x","call_id":"c","${name}":${hidden}}`;
      const call = '{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}';
      const { status } = await ask(url, "POST /v1/responses", {}, `{"model":"up","input":[${call},${item}]}`);
      expect({ name, status }).toEqual({ name, status: 400 });
    }
    expect(asked.join("")).not.toContain("169.254");
  });

  test("is refused in chats and messages", async () => {
    const { url } = await serve({ models: { offline: "offline" } });
    const bad = "http://127.0.0.1:1/";
    const chats = [
      [{ type: "image_url", image_url: { url: bad } }],
      [{ type: "image_url", image_url: bad }],
      [{ type: "video_url", video_url: { url: bad } }],
      [{ type: "file", file: { file_data: bad } }],
      [{ type: "file", file: { file_id: bad } }],
      [{ type: "input_audio", input_audio: { data: bad, format: "wav" } }],
    ];
    for (const content of chats) {
      const { status, text } = await ask(
        url,
        "POST /v1/chat/completions",
        {},
        { model: "offline", messages: [{ role: "user", content }] },
      );
      expect({ content, status, text }).toEqual({ content, status: 400, text: expect.any(String) });
    }
    const blocks = [
      [{ type: "image", source: { type: "url", url: bad } }],
      [{ type: "document", source: { type: "url", url: bad } }],
      [{ type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: { type: "url", url: bad } }] }],
    ];
    const use = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
    for (const content of blocks) {
      const messages = [
        { role: "user", content: "Hi" },
        use,
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
        { role: "user", content },
      ];
      const asked = {
        model: "offline",
        max_tokens: 9,
        messages: content[0]!.type === "tool_result" ? [...messages.slice(0, 2), messages[3]] : messages,
      };
      const { status, text } = await ask(url, "POST /v1/messages", {}, asked);
      expect({ content, status, text }).toEqual({ content, status: 400, text: expect.stringContaining("The URL in") });
    }
    const servers = {
      model: "offline",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
      mcp_servers: [{ type: "url", name: "a", url: bad }],
    };
    expect(await ask(url, "POST /v1/messages", {}, servers)).toMatchObject({ status: 400 });
  });
});
