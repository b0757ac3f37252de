import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import type { Codec } from "../../src/codecs/codec.ts";
import { geminiCodec } from "../../src/codecs/gemini/index.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import type { CreateResponse, CustomTool, InputItem, Tool } from "../../src/model/index.ts";

// An item that the specification does not have: OpenAI's newest clients put their tools into the input.
const additional = (...tools: Tool[]): InputItem => ({ type: "additional_tools", id: "at_1", role: "developer", tools }) as never;
const user: InputItem = { type: "message", role: "user", content: "Hello" };
const run: CustomTool = { type: "custom", name: "run", description: "Runs a program." };
const functions = (...tools: CustomTool[]): Tool => ({ type: "namespace", name: "functions", description: "", tools });

const wires: Record<string, { codec: Codec; names(body: unknown): unknown; called: object }> = {
  chat: {
    codec: chatCodec(),
    names: (body) => (body as { tools: { function: { name: string } }[] }).tools.map((tool) => tool.function.name),
    called: {
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            role: "assistant",
            tool_calls: [{ id: "a", type: "function", function: { name: "functions__run", arguments: '{"input":"1"}' } }],
          },
        },
      ],
    },
  },
  messages: {
    codec: messagesCodec(),
    names: (body) => (body as { tools: { name: string }[] }).tools.map(({ name }) => name),
    called: {
      type: "message",
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "functions__run", input: { input: "1" } }],
      stop_reason: "tool_use",
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
  gemini: {
    codec: geminiCodec(),
    names: (body) =>
      (body as { tools: { functionDeclarations: { name: string }[] }[] }).tools.flatMap((tool) =>
        tool.functionDeclarations.map(({ name }) => name),
      ),
    called: {
      candidates: [
        {
          finishReason: "STOP",
          content: { role: "model", parts: [{ functionCall: { id: "a", name: "functions__run", args: { input: "1" } } }] },
        },
      ],
    },
  },
};

describe.each(Object.entries(wires))("tools that come as an item, on the %s wire", (_, { codec, names, called }) => {
  const ctx = (request: CreateResponse) => ({ request, newId: (prefix: string) => `${prefix}_1`, now: () => 0 });

  test("are declared with the others, and nothing is lost", () => {
    const own: Tool = { type: "function", name: "own", parameters: null };
    const { body, losses } = codec.encodeRequest(ctx({ model: "m", tools: [own], input: [additional(functions(run)), user] }));
    expect(names(body)).toEqual(["own", "functions__run"]);
    expect(losses).toEqual([]);
  });

  test("are known by their own names when they are called", () => {
    const request = { model: "m", input: [additional(functions(run)), user] };
    const response = codec.decodeResponse(ctx(request), called);
    expect(response.output).toMatchObject([{ type: "custom_tool_call", name: "run", namespace: "functions", input: "1" }]);
    expect(response.tools).toEqual([]);
  });

  test("are declared once, as they were last declared", () => {
    const again = { ...run, description: "Runs programs." };
    const more: CustomTool = { type: "custom", name: "stop" };
    const input = [additional(functions(run)), user, additional(functions(again, more))];
    const { body } = codec.encodeRequest(ctx({ model: "m", input }));
    expect(names(body)).toEqual(["functions__run", "functions__stop"]);
    expect(JSON.stringify(body)).toContain("Runs programs.");
    expect(JSON.stringify(body)).not.toContain("Runs a program.");
  });
});

test("a search for tools that the caller runs is not taken for the server's", () => {
  const request: CreateResponse = {
    model: "claude-sonnet-5",
    input: "Hello",
    tools: [{ type: "tool_search", execution: "client" }],
  };
  const { body, losses } = messagesCodec().encodeRequest({ request, newId: (prefix) => `${prefix}_1`, now: () => 0 });
  expect(body).not.toHaveProperty("tools");
  expect(losses).toMatchObject([{ path: "tools[0]" }]);
});
