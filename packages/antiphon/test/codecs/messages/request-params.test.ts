import { describe, expect, test } from "vitest";
import { seal } from "../../../src/codecs/shared/envelope.ts";
import { functionCallOutput, user } from "../../../src/model/index.ts";
import type { CreateResponse, InputItem, ReasoningEffort } from "../../../src/model/index.ts";
import { encode, lossesOf } from "./support.ts";

const sent = (request: CreateResponse) => encode({ input: "Hi", ...request }).body;
const lost = (request: CreateResponse) => lossesOf({ input: "Hi", ...request });

describe("parameters", () => {
  test("Q1: the longest answer is the caller's, the dialect's or the model's own", () => {
    expect(sent({ max_output_tokens: 100 })["max_tokens"]).toBe(100);
    expect(encode({ input: "Hi" }, { maxTokens: 777 }).body["max_tokens"]).toBe(777);
    const own = (model: string) => sent({ model })["max_tokens"];
    expect([own("claude-3-haiku-20240307"), own("claude-opus-4-1"), own("claude-sonnet-4-5"), own("claude-opus-5")]).toEqual([
      4_096, 32_000, 64_000, 128_000,
    ]);
    expect(own("somebody-elses-model")).toBe(4_096);
  });

  test("Q2: temperature and top_p as far as the model takes them, the rest declared", () => {
    expect(sent({ temperature: 0.3 })).toMatchObject({ temperature: 0.3 });
    expect(sent({ temperature: 1.5 })).not.toHaveProperty("temperature");
    expect(lost({ temperature: 1.5 })).toEqual(["temperature"]);
    expect(sent({ temperature: 0.3, top_p: 0.9 })).not.toHaveProperty("top_p");
    expect(lost({ temperature: 0.3, top_p: 0.9 })).toEqual(["top_p"]);
    expect(sent({ model: "claude-sonnet-4-0", temperature: 0.3, top_p: 0.9 })).toMatchObject({ temperature: 0.3, top_p: 0.9 });
    expect(lost({ model: "claude-opus-4-7", temperature: 0.3, top_p: 0.9 })).toEqual(["temperature", "top_p"]);
  });

  test("Q2: words to stop at", () => {
    expect(sent({ stop: "END" })["stop_sequences"]).toEqual(["END"]);
    expect(sent({ stop: ["A", "B"] })["stop_sequences"]).toEqual(["A", "B"]);
  });

  test("Q3, Q6: nothing is sent that the caller did not give, and null is nothing", () => {
    const nulls = Object.fromEntries(
      [
        "instructions",
        "tools",
        "tool_choice",
        "temperature",
        "top_p",
        "reasoning",
        "text",
        "metadata",
        "store",
        "stop",
        "seed",
        "user",
      ]
        .concat([
          "include",
          "service_tier",
          "parallel_tool_calls",
          "max_output_tokens",
          "previous_response_id",
          "prompt_cache_key",
        ])
        .map((field) => [field, null]),
    );
    const { body, losses } = encode({ input: "Hi", ...nulls });
    expect(Object.keys(body).sort()).toEqual(["max_tokens", "messages", "model", "stream"]);
    expect(losses).toEqual([]);
  });

  test("Q4: the user's id, and what the wire has no word for", () => {
    expect(sent({ safety_identifier: "u1" })["metadata"]).toEqual({ user_id: "u1" });
    expect(sent({ user: "u2" })["metadata"]).toEqual({ user_id: "u2" });
    expect(lost({ safety_identifier: "u1", user: "u2" })).toEqual(["user"]);
    expect(
      lost({
        presence_penalty: 1,
        frequency_penalty: 1,
        seed: 7,
        truncation: "auto",
        metadata: { a: "b" },
        store: true,
        top_logprobs: 2,
        max_tool_calls: 3,
        text: { verbosity: "low" },
      }).sort(),
    ).toEqual([
      "frequency_penalty",
      "max_tool_calls",
      "metadata",
      "presence_penalty",
      "seed",
      "store",
      "text.verbosity",
      "top_logprobs",
      "truncation",
    ]);
    expect(lost({ presence_penalty: 0, store: false, truncation: "disabled", metadata: {}, top_logprobs: 0 })).toEqual([]);
  });

  test("Q4: tiers that both sides have", () => {
    expect(sent({ service_tier: "auto" })["service_tier"]).toBe("auto");
    expect(sent({ service_tier: "default" })["service_tier"]).toBe("standard_only");
    expect(lost({ service_tier: "flex" })).toEqual(["service_tier"]);
  });

  test.each(["previous_response_id", "conversation", "prompt", "background"] as const)(
    "Q4: %s would lose the history, and is refused",
    (field) => {
      const value = { previous_response_id: "resp_1", conversation: "conv_1", prompt: { id: "p" }, background: true }[field];
      expect(() => sent({ [field]: value })).toThrow(expect.objectContaining({ code: "UNSUPPORTED", param: field }));
    },
  );

  test("Q7: what an answer always holds may be asked for, the rest is declared", () => {
    const include = ["reasoning.encrypted_content", "code_interpreter_call.outputs", "message.output_text.logprobs"] as const;
    expect(lost({ include: [...include] })).toEqual(["include[2]"]);
  });

  test("Q8: a cache's key leads to marks only where the dialect asks for them", () => {
    const request: CreateResponse = { instructions: "Long.", input: "Hi", prompt_cache_key: "c1", prompt_cache_retention: "24h" };
    expect(lossesOf(request).sort()).toEqual(["prompt_cache_key", "prompt_cache_retention"]);
    const mark = { type: "ephemeral", ttl: "1h" };
    const once = encode(request, { caching: "automatic" });
    expect(once.body["cache_control"]).toEqual(mark);
    expect(once.losses).toEqual([]);
    const marks = encode(request, { caching: "breakpoints" }).body;
    expect(marks.system).toEqual([{ type: "text", text: "Long.", cache_control: mark }]);
    expect(marks.messages[0]?.content).toEqual([{ type: "text", text: "Hi", cache_control: mark }]);
  });

  test("Q8: marks stand neither on a tool that is loaded later nor beside the caller's own", () => {
    const tool = { type: "function" as const, name: "f" };
    const marks = encode(
      { input: "Hi", prompt_cache_key: "c", tools: [tool, { ...tool, name: "g", defer_loading: true }] },
      { caching: "breakpoints" },
    );
    expect(marks.body.tools?.map((declared) => "cache_control" in declared)).toEqual([true, false]);
    const own = { type: "input_text" as const, text: "Hi", "anthropic:cache_control": { type: "ephemeral" } };
    const marked = encode(
      { instructions: "Long.", input: [user([own])], prompt_cache_key: "c" },
      { caching: "breakpoints" },
    ).body;
    expect(marked.system).toEqual([{ type: "text", text: "Long." }]);
  });

  test("compaction at a threshold", () => {
    const context_management = [{ type: "compaction", compact_threshold: 50_000 }];
    expect(sent({ context_management })["context_management"]).toEqual({
      edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }],
    });
    expect(lost({ context_management: [{ type: "other" }] })).toEqual(["context_management"]);
  });

  test("fields of the wire's own making go out under their names", () => {
    expect(sent({ "anthropic:top_k": 40 } as CreateResponse)).toMatchObject({ top_k: 40 });
  });

  test("a plain answer is asked for only where the caller wants one", () => {
    expect(sent({})["stream"]).toBe(true);
    expect(sent({ stream: false })["stream"]).toBe(false);
  });

  test("ID12: a dialect may name the model in the path and add fields of its own", () => {
    const vertex = {
      path: "/{model}:rawPredict",
      streamPath: "/{model}:streamRawPredict",
      modelInBody: false,
      fixed: { anthropic_version: "vertex-2023-10-16" },
    };
    const { path, body } = encode({ model: "claude-haiku-4-5@20251001", input: "Hi" }, vertex);
    expect(path).toBe("/claude-haiku-4-5@20251001:streamRawPredict");
    expect(body).toMatchObject({ anthropic_version: "vertex-2023-10-16" });
    expect(body).not.toHaveProperty("model");
    expect(encode({ model: "a/b", input: "Hi", stream: false }, vertex).path).toBe("/a%2Fb:rawPredict");
  });
});

describe("thinking", () => {
  const asked = (effort: ReasoningEffort, model?: string) => sent({ ...(model && { model }), reasoning: { effort } });

  test("Z10: an effort is a budget for models that take one, with room for the answer", () => {
    expect(asked("minimal")["thinking"]).toEqual({ type: "enabled", budget_tokens: 1_024 });
    expect(asked("high")["thinking"]).toEqual({ type: "enabled", budget_tokens: 16_384 });
    expect(asked("none")["thinking"]).toEqual({ type: "disabled" });
    expect(sent({ reasoning: {} })).not.toHaveProperty("thinking");
  });

  test("Z10: newer models are told the effort and choose for themselves", () => {
    expect(asked("medium", "claude-opus-4-6")).toMatchObject({
      thinking: { type: "adaptive" },
      output_config: { effort: "medium" },
    });
    expect(asked("xhigh", "claude-opus-4-6")).toMatchObject({ output_config: { effort: "max" } });
    expect(lost({ model: "claude-opus-4-6", reasoning: { effort: "xhigh" } })).toEqual(["reasoning.effort"]);
    expect(asked("xhigh", "claude-opus-4-8")).toMatchObject({ output_config: { effort: "xhigh" } });
    expect(lost({ model: "claude-3-5-haiku", reasoning: { effort: "high" } })).toEqual(["reasoning"]);
  });

  test("a summary is what the wire shows of its thinking", () => {
    expect(sent({ reasoning: { effort: "low", summary: "auto" } })["thinking"]).toMatchObject({ display: "summarized" });
    expect(sent({ model: "claude-opus-5", reasoning: { summary: "auto" } })["thinking"]).toEqual({
      type: "adaptive",
      display: "summarized",
    });
    expect(lost({ reasoning: { summary: "auto" } })).toEqual(["reasoning.summary"]);
  });

  test("Z5: the longest answer is raised above the budget, and other temperatures are declared losses", () => {
    const request: CreateResponse = {
      input: "Hi",
      reasoning: { effort: "medium" },
      max_output_tokens: 1_000,
      temperature: 0.2,
      top_p: 0.5,
    };
    const { body } = encode({ ...request, model: "claude-sonnet-4-0" });
    expect(body["max_tokens"]).toBe(9_192);
    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("top_p");
    expect(lossesOf({ ...request, model: "claude-sonnet-4-0" }).sort()).toEqual(["max_output_tokens", "temperature", "top_p"]);
    expect(lost({ reasoning: { effort: "medium" }, temperature: 1 })).toEqual([]);
  });

  test("Z5: thinking that was lost before the last calls is not asked for again", () => {
    const input: InputItem[] = [
      user("Go"),
      { type: "function_call", call_id: "a", name: "weather", arguments: "{}" },
      functionCallOutput("a", "Sun"),
    ];
    const request: CreateResponse = { input, reasoning: { effort: "low" } };
    expect(encode(request).body).not.toHaveProperty("thinking");
    expect(lossesOf(request)).toEqual(["reasoning"]);
    const blob = seal({ wire: "messages", kind: "signature", data: "SIG" });
    const thought: InputItem = {
      type: "reasoning",
      summary: [],
      content: [{ type: "reasoning_text", text: "Hm" }],
      encrypted_content: blob,
    };
    expect(encode({ ...request, input: [input[0]!, thought, ...input.slice(1)] }).body).toHaveProperty("thinking");
    expect(encode({ ...request, model: "claude-opus-4-6" }).body).toHaveProperty("thinking");
  });
});

describe("thinking in the history", () => {
  const thought = (fields: object): InputItem => ({ type: "reasoning", summary: [], ...fields });
  const assistantTurn = (item: InputItem, dialect = {}) =>
    encode({ input: [user("Hi"), item, { role: "assistant", content: "Yes" }, user("So?")] }, dialect);
  const signature = seal({ wire: "messages", kind: "signature", data: "a:b/c==" });

  test("Z4: it goes back to the byte, with its signature, before what it led to", () => {
    const content = [{ type: "reasoning_text", text: "Hm,  well\n" }];
    const { body, losses } = assistantTurn(thought({ content, encrypted_content: signature }));
    expect(body.messages[1]?.content).toEqual([
      { type: "thinking", thinking: "Hm,  well\n", signature: "a:b/c==" },
      { type: "text", text: "Yes" },
    ]);
    expect(losses).toEqual([]);
  });

  test("Z4: a redacted block goes back as one, and one that showed nothing with its signature alone", () => {
    const redacted = seal({ wire: "messages", kind: "redacted", data: "SECRET" });
    expect(assistantTurn(thought({ encrypted_content: redacted })).body.messages[1]?.content[0]).toEqual({
      type: "redacted_thinking",
      data: "SECRET",
    });
    expect(assistantTurn(thought({ encrypted_content: signature })).body.messages[1]?.content[0]).toEqual({
      type: "thinking",
      thinking: "",
      signature: "a:b/c==",
    });
  });

  test("Z4, Z7: what is not signed, or signed elsewhere, is a declared loss", () => {
    const content = [{ type: "reasoning_text", text: "Hm" }];
    for (const encrypted_content of [undefined, "gAAAA", seal({ wire: "gemini", kind: "signature", data: "x" })]) {
      const { body, losses } = assistantTurn(thought({ content, encrypted_content }));
      expect(body.messages[1]?.content).toEqual([{ type: "text", text: "Yes" }]);
      expect(losses.map(({ path }) => path)).toEqual(["input[1]"]);
    }
    const other = assistantTurn(thought({ content, encrypted_content: signature }), { vendor: "messages.acme" });
    expect(other.losses).toHaveLength(1);
  });

  test("Z4: a vendor that signs nothing gets its thinking back unsigned", () => {
    const content = [{ type: "reasoning_text", text: "Hm" }];
    expect(assistantTurn(thought({ content }), { unsignedThinking: true }).body.messages[1]?.content[0]).toEqual({
      type: "thinking",
      thinking: "Hm",
      signature: "",
    });
  });

  test("Z9, Z11: thinking that nothing follows is a declared loss", () => {
    const { body, losses } = encode({ input: [user("Hi"), thought({ encrypted_content: signature })] });
    expect(body.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
    expect(losses).toHaveLength(1);
  });

  test("a compaction of the wire's goes back as its block, another's is a declared loss", () => {
    const block = { type: "compaction", content: "Before: …" };
    const own: InputItem = {
      type: "compaction",
      encrypted_content: seal({ wire: "messages", kind: "compaction", data: JSON.stringify(block) }),
    };
    expect(encode({ input: [user("Hi"), own, user("So?")] }).body.messages[1]?.content).toEqual([block]);
    for (const encrypted_content of ["gAAAA", seal({ wire: "messages", kind: "compaction", data: "{" })])
      expect(lossesOf({ input: [user("Hi"), { type: "compaction", encrypted_content }] })).toEqual(["input[1]"]);
  });
});
