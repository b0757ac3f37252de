import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import { messagesCodec } from "../../src/codecs/messages/index.ts";
import { responsesServer } from "../../src/codecs/responses/index.ts";
import { RawRun, unrun } from "../../src/core/runs.ts";
import { isRun } from "../../src/model/guards.ts";
import { EventReader } from "../../src/transport/readers.ts";
import { testCtx } from "../support/ctx.ts";
import { batchesOf, difference, framesOf } from "./read-in-runs.ts";

const frame = (data: object, pad = ""): string =>
  `event: ${String(Reflect.get(data, "type"))}\ndata: ${JSON.stringify(data).slice(0, -1)}${pad}}\n\n`;
const start = frame({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], model: "m" },
});
const opened = (index: number, content_block: object): string => frame({ type: "content_block_start", index, content_block });
const piece = (text: string, pad = "", index = 0): string =>
  frame({ type: "content_block_delta", index, delta: { type: "text_delta", text } }, pad);
const stopped = (index: number): string => frame({ type: "content_block_stop", index });
const end = frame({ type: "message_delta", delta: { stop_reason: "end_turn" } }) + frame({ type: "message_stop" });
const text = opened(0, { type: "text", text: "" });

const data = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;
const about = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", service_tier: "default" };
const chunk = (delta: object, more: object = {}, choice: object = {}): string =>
  data({ ...about, choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...choice }], ...more });
const said = (content: string, more: object = {}): string => chunk({ content }, more);
const padded = (content: string, obfuscation: string): string => said(content, { obfuscation });
const role = chunk({ role: "assistant", content: "", refusal: null });
const over = chunk({}, {}, { finish_reason: "stop" });

describe("frames of Chat that are taken as they are", () => {
  const cases: Record<string, string> = {
    "plain words": said("One") + said(" two") + said(" three"),
    "padding of every length": padded("One", "a1b2") + padded(" two", "") + padded(" three", "Zz9-_") + padded(" four", 'q"x'),
    "padding before the text": ["a", "b", "c"]
      .map((pad) => data({ obfuscation: pad, ...JSON.parse(said(pad).slice(6)) }))
      .join(""),
    "blanks behind colons": said("One").replaceAll('":', '": ').repeat(3) + said("two").replaceAll('":', '": '),
    "characters of every width": said("a\u00e9") + said("\u20ac\u4e16") + said("\ud83d\ude00") + said("b"),
    "what JSON escapes": said('a"b') + said("\\") + said("\n\t\r\b\f/") + said('\\"') + said("c"),
    "what it escapes by number": said("a") + said("b") + said("\u0001") + said("c") + said("d"),
    "pairs of surrogates that were cut": said("a") + said("b\ud83d") + said("\ude00c") + said("d"),
    "pieces that are empty": said("") + said("a") + said("") + said("b") + said("c") + said(""),
    "blanks before the first word": said(" ") + said("\n") + said(" a") + said("b") + said("c"),
    "blanks, and a word with the next": said(" \n") + said("a") + said("b"),
    "thoughts before them": chunk({ content: null, reasoning_content: "Hm" }).repeat(6) + said("a") + said("b") + said("c"),
    "thoughts between them": said("a") + said("b") + chunk({ reasoning_content: "Hm" }) + said("c") + said("d"),
    probabilities:
      said("a") + chunk({ content: "b" }, {}, { logprobs: { content: [{ token: "b", logprob: 0 }] } }) + said("c") + said("d"),
    "another tier": said("a") + said("b") + said("c", { service_tier: "flex" }) + said("d", { service_tier: "flex" }) + said("e"),
    "another choice": said("a") + said("b") + chunk({ content: "x" }, {}, { index: 1 }).repeat(2) + said("c") + said("d"),
    "a call between them":
      said("a") +
      said("b") +
      chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] }) +
      said("c") +
      said("d"),
    "a reason behind them":
      said("a") + said("b") + chunk({ content: "c" }, {}, { finish_reason: "length" }) + said("d") + said("e"),
    "usage beside them":
      said("a", { usage: null }) +
      said("b", { usage: null }) +
      said("c", { usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } }) +
      said("d"),
    "comments between them": said("a") + said("b") + ": comment\n\n" + said("c") + said("d"),
    "names of events before them": said("a") + `event: x\n${said("b")}` + said("c") + said("d"),
    "what looks like a frame inside a text": said('"}}]}\n\ndata: x') + said('"content":"') + said("data: {}"),
    "a name in the head that looks like the text": ["a", "b", "c"]
      .map((text) => said(text).replace('"m"', '"\\"content\\":"'))
      .join(""),
    "an error behind them": said("a") + said("b") + data({ error: { message: "no", type: "server_error", code: "x" } }),
  };
  const codecs = { "a server": chatCodec(), "one with tags": chatCodec({ thinkTags: true }) };
  for (const [name, codec] of Object.entries(codecs))
    test.each(Object.entries(cases))(`of ${name} tell what they tell one by one: %s`, (_, frames) => {
      const bytes = new TextEncoder().encode(`${role}${frames}${over}data: [DONE]\n\n`);
      for (let size = 1; size <= bytes.length; size += size < 300 ? 7 : 97)
        expect(difference(codec, bytes, [size]), `in pieces of ${size}`).toBeUndefined();
      expect(difference(codec, bytes, [1 << 20])).toBeUndefined();
    });

  test("tell the tier that only they tell", () => {
    const flex = { service_tier: "flex" };
    const end = data({ id: "chatcmpl-1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    const bytes = new TextEncoder().encode(role + said("a") + said("b") + said("c", flex) + said("d", flex) + end);
    expect(difference(chatCodec(), bytes, [1 << 20])).toBeUndefined();
  });

  test("never become strings of their own", () => {
    const bytes = new TextEncoder().encode(role + said("a").repeat(50) + over);
    const told = batchesOf(chatCodec(), bytes, [1 << 20], true)
      .flat()
      .filter(isRun);
    const counts = told.map((run) => (run instanceof RawRun ? run.raw.count : 0));
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(45);
  });
});

describe("frames of Messages that are taken as they are", () => {
  const codec = messagesCodec();
  const cases: Record<string, string> = {
    "plain words": piece("One") + piece(" two") + piece(" three"),
    "blanks behind them": piece("One", " ") + piece(" two", "      ") + piece(" three"),
    "characters of every width": piece("a\u00e9") + piece("\u20ac\u4e16") + piece("\ud83d\ude00") + piece("b"),
    "what JSON escapes": piece('a"b') + piece("\\") + piece("\n\t\r\b\f/") + piece('\\"') + piece("c"),
    "what it escapes by number": piece("a") + piece("b") + piece("\u0001") + piece("c") + piece("d"),
    "pairs of surrogates that were cut": piece("a") + piece("b\ud83d") + piece("\ude00c") + piece("d"),
    "pieces that are empty": piece("") + piece("a") + piece("") + piece("b") + piece("c") + piece(""),
    "something between them":
      piece("a") + piece("b") + frame({ type: "ping" }) + piece("c") + piece("d") + ": comment\n\n" + piece("e"),
    "another block":
      piece("a") + piece("b") + stopped(0) + opened(1, { type: "text", text: "" }) + piece("c", "", 1) + piece("d", "", 1),
    "a block that is not open": piece("a", "", 7) + piece("b", "", 7) + piece("c") + piece("d"),
    "a block of another kind": stopped(0) + opened(1, { type: "thinking", thinking: "" }) + piece("a", "", 1) + piece("b", "", 1),
    "what looks like a frame inside a text": piece('"}}\n\nevent: x') + piece('"text":"') + piece("data: {}"),
    "more fields":
      piece("a") +
      piece("b") +
      frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "c" }, x: 1 }) +
      piece("d"),
  };
  test.each(Object.entries(cases))("tell what they tell one by one: %s", (_, frames) => {
    const bytes = new TextEncoder().encode(start + text + frames + stopped(0) + end);
    for (let size = 1; size <= bytes.length; size += size < 200 ? 1 : 97)
      expect(difference(codec, bytes, [size]), `in pieces of ${size}`).toBeUndefined();
  });

  test("tell nothing but what can be read: bytes that are no text become what stands for them", () => {
    const bytes = new TextEncoder().encode(start + text + piece("a") + piece("b#") + piece("#c") + piece("d") + stopped(0) + end);
    bytes.forEach((byte, at) => (bytes[at] = byte === 35 ? 0xe2 : byte));
    const told = framesOf(batchesOf(codec, bytes, [1 << 20], true), responsesServer("openai"));
    expect(told).toContain("\ufffd");
    expect(difference(codec, bytes, [1 << 20])).toBeUndefined();
  });

  test("are no larger than an event may be", () => {
    const bytes = new TextEncoder().encode(start + text + piece("a") + piece("b") + piece("c".repeat(2_000)) + piece("d"));
    const reader = new EventReader(codec, { ...testCtx(), runs: true }, { maxEventBytes: 1_000 });
    const events = reader.push(bytes);
    expect(unrun(events).at(-1)).toMatchObject({ type: "response.output_text.delta", delta: "b" });
    expect(reader.push(new TextEncoder().encode(piece("e") + piece("f")))).toEqual([]);
    expect(reader.error).toMatchObject({ code: "PROTOCOL", message: expect.stringContaining("more than 1000 bytes") });
  });

  test("with something in them that JSON does not allow, are an error", () => {
    const bytes = new TextEncoder().encode(start + text + piece("a") + piece("b") + piece("c#") + piece("d"));
    bytes.forEach((byte, at) => (bytes[at] = byte === 35 ? 9 : byte));
    const reader = new EventReader(codec, { ...testCtx(), runs: true }, {});
    const events = reader.push(bytes);
    expect(reader.error?.code).toBe("PROTOCOL");
    expect(unrun(events).at(-1)).toMatchObject({ type: "response.output_text.delta", delta: "b" });
  });
});
