import { describe, expect, test } from "vitest";
import { vertexDialect } from "../../../src/codecs/gemini/index.ts";
import type { CreateResponse, Tool } from "../../../src/model/index.ts";
import { send, thrown } from "./send.ts";

describe("tools", () => {
  const clock: Tool = {
    type: "function",
    name: "clock",
    description: "Tells the time.",
    parameters: { type: "object", properties: {} },
  };

  test("T1 declares functions, also those without parameters", () => {
    const { body } = send({ tools: [clock, { type: "function", name: "bare", strict: null }] });
    expect(body["tools"]).toEqual([
      {
        functionDeclarations: [
          { name: "clock", description: "Tells the time.", parametersJsonSchema: { type: "object", properties: {} } },
          { name: "bare", parametersJsonSchema: { type: "object", properties: {} } },
        ],
      },
    ]);
  });

  test("T15 sends no empty tools", () => {
    expect(send({ tools: [], tool_choice: "auto" }).body).toEqual({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] });
  });

  test.each<[CreateResponse["tool_choice"], unknown]>([
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [
      { type: "function", name: "clock" },
      { mode: "ANY", allowedFunctionNames: ["clock"] },
    ],
    [
      { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "clock" }] },
      { mode: "VALIDATED", allowedFunctionNames: ["clock"] },
    ],
    [
      { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "clock" }] },
      { mode: "ANY", allowedFunctionNames: ["clock"] },
    ],
    [{ type: "allowed_tools", mode: "none", tools: [] }, { mode: "NONE" }],
  ])("T2 says tool_choice %j", (tool_choice, functionCallingConfig) => {
    expect(send({ tools: [clock], tool_choice }).body["toolConfig"]).toEqual({ functionCallingConfig });
  });

  test("T2 refuses a choice of a tool that is not there, and declares one that it cannot make", () => {
    expect(thrown({ tools: [clock], tool_choice: { type: "function", name: "gone" } })).toMatchObject({
      code: "BAD_REQUEST",
      param: "tool_choice",
    });
    expect(send({ tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } }).lost).toEqual(["tool_choice"]);
    expect(send({ tools: [], tool_choice: "required" }).lost).toEqual(["tool_choice"]);
  });

  const docs: Tool = { type: "mcp", server_label: "docs", server_url: "https://m.example/mcp", require_approval: "never" };

  test("T16: an MCP server that may do only some of what it can, or must ask first, is refused", () => {
    expect(send({ tools: [docs] }).lost).toEqual([]);
    expect(() => send({ tools: [{ ...docs, allowed_tools: ["search"] }] })).toThrow(/all tools of an MCP server/);
    expect(() => send({ tools: [{ ...docs, require_approval: "always" }] })).toThrow(/without approval/);
  });

  describe("T2 with a list of allowed tools", () => {
    const tools: Tool[] = [clock, { type: "web_search" }, docs];
    const declared = { functionDeclarations: [expect.objectContaining({ name: "clock" })] };
    const allowing = (mode: "auto" | "required", ...allowed: { type: string }[]) => {
      const { body, lost } = send({ tools, tool_choice: { type: "allowed_tools", mode, tools: allowed } });
      return { tools: body["tools"], config: Reflect.get(Object(body["toolConfig"]), "functionCallingConfig"), lost };
    };

    test("leaves out what the server runs and the list does not name", () => {
      expect(allowing("auto", { type: "function", name: "clock" } as never, { type: "web_search" })).toEqual({
        tools: [{ googleSearch: {} }, declared],
        config: { mode: "VALIDATED", allowedFunctionNames: ["clock"] },
        lost: ["tools[2]", "tool_choice"],
      });
    });

    test("takes MCP servers by their labels, and no function where none is named", () => {
      expect(allowing("auto", { type: "mcp", server_label: "docs", name: "search" } as never)).toEqual({
        tools: [{ mcpServers: [expect.objectContaining({ name: "docs" })] }, declared],
        config: { mode: "NONE" },
        lost: ["tools[1]", "tool_choice"],
      });
      expect(allowing("auto", { type: "mcp", server_label: "other" } as never)).toMatchObject({
        tools: [declared],
        config: { mode: "NONE" },
      });
    });

    test("declares that it cannot be made to use what the server runs", () => {
      expect(allowing("required", { type: "web_search" })).toMatchObject({
        config: { mode: "NONE" },
        lost: ["tools[2]", "tool_choice"],
      });
      expect(allowing("required", { type: "web_search" }, { type: "function", name: "clock" } as never)).toMatchObject({
        config: { mode: "ANY", allowedFunctionNames: ["clock"] },
        lost: ["tools[2]", "tool_choice"],
      });
    });
  });

  test("T3 declares that parallel calls cannot be switched off", () => {
    expect(send({ tools: [clock], parallel_tool_calls: false }).lost).toEqual(["parallel_tool_calls"]);
    expect(send({ tools: [clock], parallel_tool_calls: null }).lost).toEqual([]);
  });

  test("T4 gives names that the wire takes, in declarations and choices alike", () => {
    const { body } = send({
      tools: [{ type: "function", name: "2 steps!" }],
      tool_choice: { type: "function", name: "2 steps!" },
    });
    expect(body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "_2_steps_" }] }],
      toolConfig: { functionCallingConfig: { allowedFunctionNames: ["_2_steps_"] } },
    });
  });

  test("T5 T6 declares free-form tools as functions of one string, and namespaces flat", () => {
    const { body } = send({
      tools: [
        {
          type: "custom",
          name: "patch",
          description: "Patches.",
          format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
        },
        { type: "namespace", name: "mail", tools: [{ type: "function", name: "send" }] },
      ],
    });
    expect(body["tools"]).toMatchObject([
      {
        functionDeclarations: [
          {
            name: "patch",
            description: expect.stringContaining("start: /x/") as string,
            parametersJsonSchema: { required: ["input"] },
          },
          { name: "mail__send" },
        ],
      },
    ]);
  });

  test("T7 T8 declares tools that the wire has not, strictness and deferred loading", () => {
    const { body, lost } = send({
      tools: [
        { type: "local_shell" },
        { type: "function", name: "f", strict: true, defer_loading: true },
        { type: "tool_search" },
      ],
    });
    expect(lost.sort()).toEqual(["tools[0]", "tools[1].defer_loading", "tools[1].strict", "tools[2]"]);
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "f" }] }]);
  });

  test("sends server-side tools, the wire's own under their prefix", () => {
    const { body, lost } = send({
      tools: [
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto" } },
        { type: "file_search", vector_store_ids: ["fileSearchStores/a"], max_num_results: 3 },
        { type: "mcp", server_label: "docs", server_url: "https://m.example/mcp", authorization: "t", require_approval: "never" },
        { type: "google:urlContext" },
        { type: "google:googleMaps", enableWidget: true },
      ],
    });
    expect(body["tools"]).toEqual([
      { googleSearch: {} },
      { codeExecution: {} },
      { fileSearch: { fileSearchStoreNames: ["fileSearchStores/a"], topK: 3 } },
      {
        mcpServers: [
          { name: "docs", streamableHttpTransport: { url: "https://m.example/mcp", headers: { Authorization: "Bearer t" } } },
        ],
      },
      { urlContext: {} },
      { googleMaps: { enableWidget: true } },
    ]);
    expect(lost).toEqual([]);
  });

  test("declares tools that only one of the two servers has", () => {
    const tools: Tool[] = [
      { type: "file_search", vector_store_ids: ["a"], filters: {} },
      { type: "mcp", server_label: "x", server_url: "https://m.example", require_approval: "always" },
    ];
    expect(send({ tools }, vertexDialect).lost).toEqual(["tools[0]", "tools[1]"]);
  });

  test("declares options of server-side tools that it cannot send", () => {
    const { lost } = send({
      tools: [
        { type: "web_search", search_context_size: "high", filters: { allowed_domains: ["a.example"] } },
        { type: "code_interpreter", container: "cntr_1" },
        { type: "mcp", server_label: "x", server_url: "https://m.example" },
      ],
    });
    expect(lost).toEqual(["tools[0].search_context_size", "tools[0].filters", "tools[1].container", "tools[2].require_approval"]);
  });

  test("asks for no MCP tools where a call of theirs was to be approved first", () => {
    const tools: Tool[] = [{ type: "mcp", server_label: "x", server_url: "https://m.example", require_approval: "always" }];
    expect(() => send({ tools })).toThrow("set `require_approval`");
  });

  test("T8 leaves server-side tools out beside functions where the model does not mix them", () => {
    const request: CreateResponse = { tools: [{ type: "web_search" }, clock] };
    const old = send({ ...request, model: "gemini-2.5-flash" });
    expect(old.lost).toEqual(["tools[0]"]);
    expect(old.body["tools"]).toHaveLength(1);
    const recent = send(request);
    expect(recent.lost).toEqual([]);
    expect(recent.body["tools"]).toHaveLength(2);
    expect(recent.body["toolConfig"]).toEqual({ includeServerSideToolInvocations: true });
    expect(send(request, vertexDialect).body["toolConfig"]).toBeUndefined();
  });

  test("leaves server-side tools out where no tool may be used", () => {
    expect(send({ tools: [{ type: "web_search" }], tool_choice: "none" })).toMatchObject({ lost: ["tools[0]"] });
  });

  test("asks for pictures where image generation is among the tools", () => {
    expect(send({ tools: [{ type: "image_generation" }] }).body["generationConfig"]).toEqual({
      responseModalities: ["TEXT", "IMAGE"],
    });
    expect(send({ tools: [{ type: "image_generation", size: "1024x1024" }] }).lost).toEqual(["tools[0].size"]);
  });

  test("T14 writes the same tools the same way each time", () => {
    const tools: Tool[] = [clock, { type: "web_search" }, { type: "custom", name: "c" }];
    expect(JSON.stringify(send({ tools }).body)).toBe(JSON.stringify(send({ tools: structuredClone(tools) }).body));
  });
});
