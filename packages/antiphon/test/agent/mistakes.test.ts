import { expect, test } from "vitest";
import { Agent, collect, connect, customTool, provider, tool } from "../../src/index.ts";
import type { AgentInput } from "../../src/agent/input-items.ts";

// What the compiler would refuse, and plain JavaScript lets through.
const loose = (value: unknown) => value as never;
const run = (): string => "";

const circle: Record<string, unknown> = {};
circle["circle"] = circle;
const nobody = { apiKey: "sk-1", baseUrl: "http://127.0.0.1:9" };
const ask = (which: string, request: unknown) => collect(connect(provider(which, nobody))(loose(request)));
const send = (options: object, input: unknown = "Hello") =>
  new Agent(loose({ model: "offline", ...options })).send(input as AgentInput);

test.each<[string, () => unknown, RegExp]>([
  ["an agent without a model", () => send({ model: undefined }), /“undefined” is not a model string/],
  ["an agent whose model is nothing known", () => send({ model: {} }), /is not a model string/],
  ["a provider without a name", () => provider(loose(undefined)), /“undefined” is not a model string/],
  ["a provider by its name alone", () => connect(loose("offline")), /takes a provider, not its name/],
  ["nothing to connect to", () => connect(loose(undefined)), /takes a provider/],
  ["a tool without a function", () => tool(loose({ name: "x", execute: run })), /"x" has no function `run`/],
  ["a custom tool without a function", () => customTool(loose({ name: "x" })), /"x" has no function `run`/],
  ["a tool whose name is no text", () => tool(loose({ name: 5, run })), /A tool's name has 1 to 64/],
  ["a tool whose input is no schema", () => tool(loose({ name: "x", input: "string", run })), /described by no schema/],
  ["a tool that is not in a list", () => send({ tools: tool({ name: "x", run }) }), /`tools` is a list/],
  ["a function for a tool", () => send({ tools: [tool({ name: "x", run }), run] }), /tools\[1\] is no tool/],
  ["an agent for a tool", () => send({ tools: [new Agent({ model: "offline" })] }), /tools\[0\] is no tool: .*asTool/],
  ["no tool at all", () => send({ tools: [undefined] }), /tools\[0\] is no tool/],
  ["nothing to say", () => send({}, null), /What is said to an agent/],
  ["words in a list", () => send({}, ["Hello", "there"]), /What is said to an agent/],
  ["a form that is no schema", () => send({ output: "x" }), /`output` is no schema/],
  ["a request that holds itself", () => ask("openai", { input: "Hello", metadata: circle }), /circular/],
  ["a number that JSON has not", () => ask("chat", { model: "m", input: "Hello", metadata: { n: 5n } }), /BigInt/],
])("%s is an error of ours", async (_, attempt, message) => {
  const failure = await Promise.resolve()
    .then(attempt)
    .catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ name: "AntiphonError", code: "BAD_REQUEST", message: expect.stringMatching(message) });
});

test("a limit of steps that is no number ends a run", async () => {
  const again = tool({ name: "again", run: () => "Call me again." });
  const reply = await new Agent({ model: "offline", tools: [again], maxSteps: Number.NaN }).send("[[call:again]]");
  expect(reply.response.incomplete_details).toEqual({ reason: "max_steps" });
});
