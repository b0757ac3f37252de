import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatDialect } from "../../../src/codecs/chat/index.ts";
import { ThinkTags } from "../../../src/codecs/chat/think-tags.ts";
import { seal, unseal } from "../../../src/codecs/shared/envelope.ts";
import { assistant, functionCallOutput, user, type InputItem, type Reasoning } from "../../../src/model/index.ts";
import { bare, calls, chunk, decode, encode, respond } from "./support.ts";
import { vendors } from "./vendors.ts";

const thought = (text: string): object => ({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text }] });
const said = (text: string): object => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});
const stop = chunk({}, "stop");

describe("reading thoughts", () => {
  test.each(["reasoning_content", "reasoning"])("Z1: from %s", (field) => {
    const values = [
      chunk({ role: "assistant", content: "", [field]: "Let me " }),
      chunk({ [field]: "think." }),
      chunk({ content: "Four." }),
      stop,
    ];
    expect(bare(respond(values).output)).toEqual([thought("Let me think."), said("Four.")]);
  });

  test("Z1: from Mistral's lists", () => {
    const thinking = (text: string) => chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });
    const values = [
      thinking("Hm"),
      thinking("m."),
      chunk({ content: [{ type: "text", text: "Fo" }] }),
      chunk({ content: "ur." }),
      stop,
    ];
    expect(bare(respond(values).output)).toEqual([thought("Hmm."), said("Four.")]);
  });

  test("Z1: from one of several fields that say the same", () => {
    const detail = { type: "reasoning.text", text: "Hmm.", index: 0, format: null };
    const values = [
      chunk({ reasoning: "Hmm.", reasoning_content: "Hmm.", reasoning_details: [detail] }),
      chunk({ content: "Four." }),
      stop,
    ];
    expect(bare(respond(values).output)).toEqual([thought("Hmm."), said("Four.")]);
  });

  test("Z1, V5: thought, text and call in one chunk become three items", () => {
    const values = [
      chunk({
        reasoning_content: "Hmm.",
        content: "Wait.",
        tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }],
      }),
      stop,
    ];
    expect(respond(values).output.map(({ type }) => type)).toEqual(["reasoning", "message", "function_call"]);
  });

  test("Z2, Z3: thoughts have their own events and never touch the text", () => {
    const types = decode([chunk({ reasoning: "Hmm." }), chunk({ content: "Four." }), stop]).map(({ type }) => type);
    expect(types).toContain("response.reasoning.delta");
    expect(types.indexOf("response.reasoning.done")).toBeLessThan(types.indexOf("response.output_text.delta"));
  });

  test("Z2: what a router calls a summary is one", () => {
    const values = [
      chunk({ reasoning: "In short", reasoning_details: [{ type: "reasoning.summary", summary: "In short", index: 0 }] }),
      chunk({ content: "Four." }),
      stop,
    ];
    expect(bare(respond(values).output)[0]).toEqual({ type: "reasoning", summary: [{ type: "summary_text", text: "In short" }] });
  });

  test("Z9: nothing but white space is no thought", () => {
    expect(
      bare(
        respond([chunk({ reasoning_content: "\n" }), chunk({ reasoning_content: "" }), chunk({ content: "Four." }), stop]).output,
      ),
    ).toEqual([said("Four.")]);
  });
});

describe("thoughts inside the text", () => {
  const dialect = { thinkTags: true };

  test("Z1: are told apart only where the dialect says so", () => {
    const values = [chunk({ content: "<think>Hmm.</think>\n\nFour." }), stop];
    expect(bare(respond(values, {}, dialect).output)).toEqual([thought("Hmm."), said("Four.")]);
    expect(bare(respond(values).output)).toEqual([said("<think>Hmm.</think>\n\nFour.")]);
  });

  test("Z1: tags further down are text, and an open one ends with the stream", () => {
    expect(bare(respond([chunk({ content: "Use <think> tags" }), stop], {}, dialect).output)).toEqual([said("Use <think> tags")]);
    expect(bare(respond([chunk({ content: "<think>Hm" }), chunk({ content: "m </thi" }, "length")], {}, dialect).output)).toEqual(
      [thought("Hmm </thi")],
    );
  });

  test("Z1: are the same wherever the stream is cut", () => {
    const whole = "  <think>One </th two</think> \n<b>Three</b> <think>four";
    const run = (pieces: string[]) => {
      const tags = new ThinkTags();
      const told = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()];
      return [true, false].map((kind) =>
        told
          .filter((piece) => piece.thought === kind)
          .map((piece) => piece.text)
          .join(""),
      );
    };
    expect(run([whole])).toEqual(["One </th two", "<b>Three</b> <think>four"]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const pieces: string[] = [];
        for (let at = 0, turn = 0; at < whole.length; turn += 1)
          pieces.push(whole.slice(at, (at += sizes[turn % sizes.length]!)));
        expect(run(pieces)).toEqual(run([whole]));
      }),
    );
  });
});

describe("a router's details", () => {
  const openrouter = vendors["openrouter-chat"] as Partial<ChatDialect>;
  const vercel = vendors["vercel"] as Partial<ChatDialect>;
  const text = (piece: string, more = {}) => ({
    type: "reasoning.text",
    text: piece,
    format: "anthropic-claude-v1",
    index: 0,
    ...more,
  });
  const details = (detail: { text?: string | undefined; [field: string]: unknown }) =>
    chunk({ reasoning: detail.text ?? null, reasoning_details: [detail] });
  const encrypted = { type: "reasoning.encrypted", data: "abc==", id: "rs_1", format: "openai-responses-v1", index: 1 };

  test.each([
    ["OpenRouter", openrouter],
    ["Vercel's gateway", vercel],
  ])("Z7: are kept whole, pieces joined, and go back to %s byte for byte", (_, dialect) => {
    const values = [
      details(text("Let ")),
      details(text("me.")),
      details({ ...text(""), text: undefined, signature: "sig" }),
      details(encrypted),
      chunk({ content: "Four." }),
      stop,
    ];
    const { output } = respond(values, {}, dialect);
    expect(output[0]).toMatchObject(thought("Let me."));
    const kept = [{ ...text("Let me."), signature: "sig" }, encrypted];
    expect(JSON.parse(unseal((output[0] as Reasoning).encrypted_content)!.data)).toEqual(kept);
    const { body, lost } = encode({ input: [user("2+2?"), ...output, user("Sure?")] }, dialect);
    expect(body.messages[1]).toEqual({ role: "assistant", content: "Four.", reasoning_details: kept });
    expect(lost).toEqual([]);
  });

  test("Z7: that come late, with the call, are a thought of their own in the same turn", () => {
    const values = [
      details(text("Hmm.")),
      chunk({ content: "Wait." }),
      chunk({ reasoning_details: [encrypted] }),
      calls({ index: 0, id: "c", function: { name: "f", arguments: "{}" } }),
      stop,
    ];
    const { output } = respond(values, {}, openrouter);
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "message", "reasoning", "function_call"]);
    const { body } = encode({ input: [...output, functionCallOutput("c", "1")] }, openrouter);
    expect(body.messages[0]).toMatchObject({ content: "Wait.", reasoning_details: [text("Hmm."), encrypted] });
  });

  test("Z7: of another server never go out, and neither does what hides behind them", () => {
    for (const blob of [
      "gAAAA…",
      seal({ wire: "messages", kind: "signature", data: "x" }),
      seal({ wire: "chat.other", kind: "reasoning_details", data: "[]" }),
    ]) {
      const item = { ...thought("Hmm."), encrypted_content: blob } as InputItem;
      const { body, lost } = encode({ input: [item, assistant("Four.")] }, openrouter);
      expect(body.messages).toEqual([{ role: "assistant", content: "Four." }]);
      expect(lost).toEqual(["input[0]"]);
    }
  });

  test("Z7: that were changed on the way are left out", () => {
    const item = {
      ...thought("Hmm."),
      encrypted_content: seal({ wire: "chat.openrouter", kind: "reasoning_details", data: "[{" }),
    } as InputItem;
    expect(encode({ input: [item, assistant("Four.")] }, openrouter)).toMatchObject({
      body: { messages: [{ content: "Four." }] },
      lost: ["input[0]"],
    });
  });
});

describe("sending thoughts back", () => {
  const call: InputItem = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
  const loop = [
    user("?"),
    thought("First."),
    call,
    functionCallOutput("c", "1"),
    thought("Then."),
    assistant("Done."),
  ] as InputItem[];

  test("Z11, Z12: none go to a server that takes none, and that is declared", () => {
    const { body, lost } = encode({ input: loop });
    expect(JSON.stringify(body)).not.toContain("First.");
    expect(lost).toEqual(["input[1]", "input[4]"]);
  });

  test("Z11: only those before calls go where only calls need them", () => {
    const { body, lost } = encode({ input: loop }, { replay: { as: "reasoning_content", on: "calls" } });
    expect(body.messages[1]).toMatchObject({ role: "assistant", content: null, reasoning_content: "First." });
    expect(body.messages[3]).toEqual({ role: "assistant", content: "Done." });
    expect(lost).toEqual(["input[4]"]);
  });

  test.each([
    ["reasoning", { reasoning: "Then.", content: "Done." }],
    ["reasoning_details", { reasoning: "Then.", content: "Done." }],
    [
      "thinking",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Then." }] },
          { type: "text", text: "Done." },
        ],
      },
    ],
  ] as const)("Z11: all of them as %s", (as, expected) => {
    const { body, lost } = encode({ input: loop }, { replay: { as, on: "all" } });
    expect(body.messages[3]).toEqual({ role: "assistant", ...expected });
    expect(lost).toEqual([]);
  });

  test("Z11: a space stands in where a server demands thoughts and there are none", () => {
    const { body } = encode({ input: [call, functionCallOutput("c", "1")] }, vendors["deepseek"]);
    expect(body.messages[0]).toMatchObject({ reasoning_content: " " });
  });

  test("Z11: a thought that nothing follows is left out and declared", () => {
    expect(encode({ input: [user("?"), thought("Hm") as InputItem] }, { replay: { as: "reasoning", on: "all" } })).toMatchObject({
      body: { messages: [{ role: "user", content: "?" }] },
      lost: ["input[1]"],
    });
  });

  test("Z6: what a server hangs on a call goes back with it, and to nobody else", () => {
    const extra_content = { google: { thought_signature: "sig==" } };
    const gemini = { vendor: "gemini" };
    const values = [
      calls({ index: 0, id: "c", type: "function", function: { name: "f", arguments: "{}" }, extra_content }),
      chunk({}, "stop"),
    ];
    const { output } = respond(values, {}, gemini);
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    const input = [...output, functionCallOutput("c", "1")];
    expect(encode({ input }, gemini)).toMatchObject({
      body: { messages: [{ tool_calls: [{ id: "c", extra_content }] }, {}] },
      lost: [],
    });
    expect(encode({ input })).toMatchObject({ lost: ["input[0]"] });
    expect(JSON.stringify(encode({ input }).body)).not.toContain("sig==");
  });
});
