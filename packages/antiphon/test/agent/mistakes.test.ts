import { describe, expect, test } from "vitest";
import { Agent, Chat, collect, connect, customTool, provider, text, tool } from "../../src/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import type { AgentInput } from "../../src/agent/input-items.ts";

// What the compiler would refuse, and plain JavaScript lets through.
const loose = (value: unknown) => value as never;
const run = (): string => "";

/** What an attempt throws, or what its promise is rejected with. */
const failureOf = (attempt: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );

const circle: Record<string, unknown> = {};
circle["circle"] = circle;
const nobody = { apiKey: "sk-1", baseUrl: "http://127.0.0.1:9" };
const ask = (which: string, request: unknown) => collect(connect(provider(which, nobody))(loose(request)));
const send = (options: object, input: unknown = "Hello") =>
  new Agent(loose({ model: "offline", ...options })).send(input as AgentInput);

test.each<[string, () => unknown, RegExp, string?]>([
  ["an agent without a model", () => send({ model: undefined }), /Set `model`/, "model"],
  ["an agent whose model is nothing known", () => send({ model: {} }), /must be a model string/, "model"],
  ["a provider without a name", () => provider(loose(undefined)), /must be a string.*"openai:gpt-5.2"\.$/],
  ["a provider by its name alone", () => connect(loose("offline")), /takes a provider, not its name/],
  ["nothing to connect to", () => connect(loose(undefined)), /takes a provider/],
  ["a tool without a function", () => tool(loose({ name: "x" })), /"x" has no function `run`/, "run"],
  ["a custom tool without a function", () => customTool(loose({ name: "x" })), /"x" has no function `run`/],
  ["a tool whose name is no text", () => tool(loose({ name: 5, run })), /A tool name must have 1 to 64/],
  ["a tool whose input is no schema", () => tool(loose({ name: "x", input: "string", run })), /must be a schema/],
  ["a tool that is not in a list", () => send({ tools: tool({ name: "x", run }) }), /`tools` of `Agent` must be a list/],
  ["a function for a tool", () => send({ tools: [tool({ name: "x", run }), run] }), /`tools\[1\]` .* must be a tool/],
  ["an agent for a tool", () => send({ tools: [new Agent({ model: "offline" })] }), /must be a tool .*`agent.asTool\(\)`/],
  ["no tool at all", () => send({ tools: [undefined] }), /must be a tool/, "tools[0]"],
  ["a form that is no schema", () => send({ output: "x" }), /`output` of `Agent` must be a schema/, "output"],
  ["a request that holds itself", () => ask("openai", { input: "Hello", metadata: circle }), /circular/],
  ["a number that JSON has not", () => ask("chat", { model: "m", input: "Hello", metadata: { n: 5n } }), /BigInt/],
])("%s is an error of ours", async (_, attempt, message, param) => {
  expect(await failureOf(attempt)).toMatchObject({
    name: "AntiphonError",
    code: "BAD_REQUEST",
    message: expect.stringMatching(message),
    ...(param && { param }),
  });
});

describe("an unknown option is refused with the name that was probably meant", () => {
  const agent = new Agent({ model: "offline" });
  test.each<[string, (option: object) => unknown, object, string | undefined]>([
    ["Agent", (option) => new Agent(loose({ model: "offline", ...option })), { sytem: "Be brief." }, "instructions"],
    ["Agent", (option) => new Agent(loose({ model: "offline", ...option })), { instuctions: "Be brief." }, "instructions"],
    ["Agent", (option) => new Agent(loose({ model: "offline", ...option })), { maxOutputTokens: 5 }, "max_output_tokens"],
    ["Agent", (option) => agent.with(loose(option)), { topP: 1 }, "top_p"],
    ["send", (option) => agent.send("Hello", loose(option)), { maxTokens: 5 }, "max_output_tokens"],
    ["send", (option) => agent.stream("Hello", loose(option)), { abortSignal: null }, "signal"],
    ["send", (option) => agent.chat().send("Hello", loose(option)), { handoffs: [] }, "handovers"],
    ["chat", (option) => agent.chat(loose(option)), { stroe: {} }, "store"],
    ["chat", (option) => agent.chat({ context: loose(option) }), { budgit: 5 }, "context.budget"],
    ["asTool", (option) => agent.asTool(loose(option)), { descripton: "x" }, "description"],
    ["provider", (option) => provider("openai", loose(option)), { api_key: "k" }, "apiKey"],
    ["connect", (option) => connect(provider("openai"), loose(option)), { retries: 5 }, "retry"],
    ["connect", (option) => connect(provider("openai"), { timeouts: loose(option) }), { idel: 5 }, "timeouts.idle"],
    ["tool", (option) => tool(loose({ name: "x", run, ...option })), { desciption: "x" }, "description"],
    ["tool", (option) => tool(loose({ name: "x", ...option })), { execute: run }, "run"],
    ["respond", (option) => collect(connect(provider("offline"))({ input: "Hello" }, loose(option))), { timeout: 5 }, "timeouts"],
    ["provider", (option) => provider("openai", loose(option)), { zzz: 5 }, undefined],
  ])("%s", async (of, attempt, option, meant) => {
    const [name = ""] = Object.keys(option);
    const failure = await failureOf(() => attempt(option));
    expect(failure).toMatchObject({ name: "AntiphonError", code: "BAD_REQUEST", param: expect.stringContaining(name) });
    const { message } = failure as Error;
    expect(message).toContain(`of \`${of}\``);
    expect(/Did you mean `(.*)`\?/.exec(message)?.[1]).toBe(meant);
  });

  test("unless it has a vendor's prefix: then it goes to the model as it is", async () => {
    const model = scripted(["Hello"]);
    await new Agent(loose({ model, "google:labels": { team: "a" } })).send("Hello");
    expect(model.requests[0]).toMatchObject({ "google:labels": { team: "a" } });
  });
});

describe("a number that sets no limit is refused", () => {
  const limits: readonly [string, unknown][] = [
    ["maxSteps", 0],
    ["maxSteps", Number.NaN],
    ["maxSteps", -1],
    ["maxSteps", 1.5],
    ["maxSteps", "5"],
    ["maxParallel", 0],
    ["toolTimeout", -1],
    ["max_output_tokens", 0],
    ["max_output_tokens", Infinity],
    ["timeouts.total", -1],
    ["timeouts.idle", Number.NaN],
    ["retry.retries", -1],
    ["retry.minDelay", "1s"],
  ];
  test.each(limits)("%s: %s", async (path, value) => {
    const [name = "", inner] = path.split(".");
    const option = { [name]: inner === undefined ? value : { [inner]: value } };
    expect(await failureOf(() => send(option))).toMatchObject({ code: "BAD_REQUEST", param: path });
  });

  test("but no limit of steps is one", async () => {
    expect((await send({ maxSteps: Infinity })).text).toContain("Hello");
  });
});

describe("input that the caller wrote wrongly is refused", () => {
  const text = "Hello";
  const part = (type: string) => ({ type, text });
  test.each<[string, unknown, string, RegExp]>([
    ["nothing", undefined, "input", /must be text, an item, or a list/],
    ["null", null, "input", /not null/],
    ["words in a list", ["Hello", "there"], "input[0]", /must be an item, not a string/],
    ["an unknown role", { role: "usr", content: text }, "input.role", /Unknown role `usr`. Did you mean `user`\?/],
    ["an unknown role in a list", [{ role: "human", content: text }], "input[0].role", /Did you mean `user`\?/],
    ["the role of a tool", [{ role: "tool", content: text }], "input[0].role", /`function_call_output`/],
    [
      "a request of another library",
      { messages: [{ role: "user", content: text }] },
      "input",
      /pass its `messages` list instead/,
    ],
    ["an object that is no item", { text }, "input", /it needs a `type` or a `role`/],
    ["a part of another API", [part("text")], "input[0].type", /Unknown part type `text`. Did you mean `input_text`\?/],
    ["such a part in a message", [{ role: "user", content: [part("text")] }], "input[0].content[0].type", /`input_text`/],
    ["a misspelt part", [part("input_txt")], "input[0].type", /Did you mean `input_text`\?/],
    ["a part without its text", [{ type: "input_text" }], "input[0].text", /must be text\.$/],
    ["a part that is not in a list", part("input_text"), "input", /put it into a list of parts/],
    ["a message without content", [{ role: "user" }], "input[0].content", /must be text or a list of parts/],
    ["a misspelt item", [{ type: "functon_call_output", call_id: "c", output: "" }], "input[0].type", /`function_call_output`/],
    ["a result that is no text", [{ type: "function_call_output", call_id: "c", output: {} }], "input[0].output", /an object/],
  ])("%s", async (_, input, param, message) => {
    const failure = { code: "BAD_REQUEST", param, message: expect.stringMatching(message) };
    const agent = new Agent({ model: "offline" });
    expect(await failureOf(() => agent.send(loose(input)))).toMatchObject(failure);
    expect(await failureOf(() => agent.chat().send(loose(input)))).toMatchObject(failure);
  });

  test("but items of servers and of vendors pass as they are", async () => {
    const model = scripted(["Hello"]);
    const history = [
      { type: "new_server_call", id: "x_1", detail: 5 },
      { type: "new_call_without_id", detail: 5 },
      { type: "acme:note", note: "x" },
      { type: "message", id: "m_1", role: "critic", content: [{ type: "new_part" }] },
      { role: "assistant", content: [{ type: "text", text }] },
      { role: "user", content: [{ type: "acme:part" }, { type: "input_text", text }] },
    ];
    await new Agent({ model }).send(loose(history));
    expect(model.requests[0]?.input).toEqual(history);
  });
});

test.each<[string, () => unknown, RegExp]>([
  ["agent.resume({})", () => new Agent({ model: "offline" }).resume(loose({})), /`resume` takes a paused reply/],
  ["agent.resume({ foo: 1 })", () => new Agent({ model: "offline" }).resume(loose({ foo: 1 })), /`resume` takes a paused reply/],
  ["Chat.from(agent, id)", () => Chat.from(new Agent({ model: "offline" }), "s1"), /`Chat.from\(agent, store, id\)`/],
  ["collect(promise)", () => collect(loose(Promise.resolve({}))), /`collect` takes .*, not a promise \(await it first\)/],
  ["text(undefined)", () => text(loose(undefined)), /`text` takes a response or a list of items\.$/],
])("%s says what it takes", async (_, attempt, message) => {
  expect(await failureOf(attempt)).toMatchObject({ code: "BAD_REQUEST", message: expect.stringMatching(message) });
});
