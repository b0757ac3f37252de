import { describe, expect, test } from "vitest";
import { mcpServer, type McpClient } from "../../src/mcp/index.ts";
import { use } from "./servers.ts";

/** A client that somebody else connected, to a server that says these things. */
const client = (tools: unknown[], result: unknown = { content: [] }): McpClient => ({
  // What a server says is checked by nobody before it comes here.
  listTools: async () => ({ tools: tools as never }),
  callTool: async () => result as never,
  getServerVersion: () => undefined,
  getInstructions: () => undefined,
});
const plain = { name: "plain", inputSchema: { type: "object" } };

describe("a result", () => {
  test.each<[string, unknown, unknown]>([
    ["of a kind with the name of something else", { type: "constructor", a: 1 }, '{"type":"constructor","a":1}'],
    ["of a kind named like a method", { type: "toString" }, '{"type":"toString"}'],
    ["of a kind named like a prototype", { type: "__proto__" }, '{"type":"__proto__"}'],
    ["that is no part at all", null, "null"],
    [
      "that is sound of an odd format",
      { type: "audio", data: "AA==", mimeType: "audio/constructor" },
      [{ type: "input_audio", input_audio: { data: "AA==", format: "constructor" } }],
    ],
  ])("%s is passed on as it is", async (_, part, expected) => {
    const { result } = await use(mcpServer({ client: client([plain], { content: [part] }) }), "plain");
    expect(result).toEqual(expected);
  });

  test.each([null, "text", { content: null }, { content: "text" }])("that is none is an error: %j", async (answer) => {
    const used = use(mcpServer({ client: client([plain], answer) }), "plain");
    await expect(used).rejects.toMatchObject({ code: "PROTOCOL", message: expect.stringContaining("MCP") });
  });
});

describe("a list of tools", () => {
  const deep = (depth: number): object =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { a: deep(depth - 1) } };
  test.each<[string, unknown]>([
    ["one without a name", { inputSchema: {} }],
    ["one that is nothing", null],
    ["one whose schema is bottomless", { name: "deep", inputSchema: deep(5_000) }],
  ])("that holds %s is an error that says which", async (_, odd) => {
    const server = mcpServer({ client: client([plain, odd]) });
    await expect(server.listTools()).rejects.toMatchObject({ code: "PROTOCOL", message: expect.stringMatching(/tool .*deny/) });
  });

  test("is used without those that are denied, whatever is wrong with them", async () => {
    const server = mcpServer({ client: client([plain, { name: "deep", inputSchema: deep(5_000) }]), deny: ["deep"] });
    expect((await server.listTools()).map(({ name }) => name)).toEqual(["plain"]);
  });
});
