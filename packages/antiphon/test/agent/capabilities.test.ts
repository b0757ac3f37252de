import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { fitToModel } from "../../src/agent/capabilities.ts";
import type { Respond } from "../../src/core/respond.ts";
import type { CreateResponse, ReasoningEffort } from "../../src/model/index.ts";
import type { LocalUpstream } from "../../src/transport/upstream.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";
import { all, call, failure, weather } from "./support.ts";

const named = (model: string, respond: Respond): LocalUpstream => ({ name: "test", model, respond });
const effort = (value: ReasoningEffort): CreateResponse => ({ reasoning: { effort: value } });

describe("what a model takes", () => {
  const cases: readonly [model: string, request: CreateResponse, sent: CreateResponse, lost: readonly string[]][] = [
    ["gpt-5.2", effort("xhigh"), effort("xhigh"), []],
    ["gpt-5.2", effort("none"), effort("none"), []],
    ["gpt-5.2-2025-12-11", effort("minimal"), effort("none"), ["reasoning.effort"]],
    ["openai/gpt-5", effort("xhigh"), effort("high"), ["reasoning.effort"]],
    ["gpt-5-mini", effort("none"), effort("minimal"), ["reasoning.effort"]],
    ["o3", effort("minimal"), effort("low"), ["reasoning.effort"]],
    ["gpt-4o", effort("high"), {}, ["reasoning.effort"]],
    ["gpt-4o", { reasoning: { effort: "high", summary: "auto" } }, {}, ["reasoning.effort", "reasoning.summary"]],
    ["gpt-4o", effort("none"), {}, []],
    ["gpt-5-chat-latest", effort("low"), {}, ["reasoning.effort"]],
    ["gpt-4o", { text: { verbosity: "low" } }, { text: {} }, ["text.verbosity"]],
    ["o3", { text: { verbosity: "low" } }, { text: {} }, ["text.verbosity"]],
    ["gpt-5.2", { text: { verbosity: "low" } }, { text: { verbosity: "low" } }, []],
    [
      "house-model",
      { reasoning: { effort: "xhigh" }, text: { verbosity: "high" } },
      { reasoning: { effort: "xhigh" }, text: { verbosity: "high" } },
      [],
    ],
  ];

  test.each(cases)("%s is sent of %j: %j", (model, request, sent, lost) => {
    const fitted = fitToModel(request, model);
    expect(JSON.parse(JSON.stringify(fitted.request))).toEqual(sent);
    expect(fitted.losses.map(({ path }) => path)).toEqual(lost);
  });
});

describe("what is left out", () => {
  test("is a warning in the reply, once, however many steps there were", async () => {
    const model = scripted([[call("c1", "weather", { city: "Oslo" })], "Sunny."]);
    const agent = new Agent({ model: named("gpt-4o", model), tools: [weather], reasoning: { effort: "high" }, verbosity: "low" });
    const stream = agent.stream("Weather?");
    const told = (await all(stream)).filter(({ type }) => type === "antiphon:loss");
    const reply = await stream.reply;
    expect(told).toHaveLength(2);
    expect(reply.warnings).toEqual([
      { path: "reasoning.effort", reason: 'The model "gpt-4o" does not support reasoning.' },
      { path: "text.verbosity", reason: 'The model "gpt-4o" does not support `verbosity`.' },
    ]);
    expect(model.requests.map(({ reasoning, text }) => [reasoning, text?.verbosity])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  test("is an error where the agent is told to be strict about it, before anything is sent", async () => {
    const model = scripted(["Yes."]);
    let asked = 0;
    const counting: Respond = (request, options) => {
      const answer = model(request, options);
      return {
        async *[Symbol.asyncIterator]() {
          asked += 1;
          yield* answer;
        },
      };
    };
    const agent = new Agent({ model: named("gpt-4o", counting), reasoning: { effort: "high" }, onLoss: "error" });
    const error = await failure(agent.send("Hello"));
    expect(error).toMatchObject({ code: "UNSUPPORTED", param: "reasoning.effort" });
    expect(asked).toBe(0);
  });

  test("is told for tools whose schema cannot be strict", async () => {
    const open = tool({ name: "open", input: { type: "object", additionalProperties: { type: "string" } }, run: () => "Yes." });
    const agent = new Agent({ model: scripted(["Yes.", "Yes."]), tools: [open, { listTools: async () => [open] }] });
    const { warnings } = await agent.send("Hello");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ path: expect.stringMatching(/^tools\.open/) });
    expect((await failure(agent.send("Hello", { onLoss: "error" }))).code).toBe("UNSUPPORTED");
  });
});
