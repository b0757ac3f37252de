import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createTokenCounter } from "../../src/conversation/item-tokens.ts";
import { estimateTokens } from "../../src/conversation/token-count.ts";
import { clip, clipOutput } from "../../src/conversation/clip.ts";
import { functionCallOutput, user } from "../../src/model/construct.ts";
import type { InputItem } from "../../src/model/index.ts";

describe("estimateTokens", () => {
  // About what the tokenizers of large models make of them.
  test.each([
    ["", 0],
    ["Hello", 1],
    ["The quick brown fox jumps over the lazy dog.", 10],
    ["    indented", 2],
    ["123456789", 3],
    ['{"city":"Oslo","celsius":4}', 9],
    ["getUserName", 3],
    ["Привет, как дела?", 6],
  ])("counts %j as about %i", (text, tokens) => {
    expect(Math.abs(estimateTokens(text) - tokens)).toBeLessThanOrEqual(2);
  });

  test("counts about one token for a character of Chinese, Japanese or Korean", () => {
    for (const text of ["今天天气很好我们去公园散步吧", "今日はとても天気がいいですね", "오늘은날씨가아주좋습니다"])
      expect(estimateTokens(text) / text.length).toBeGreaterThan(0.6);
  });

  test("never falls when a text grows by a whole run, and never exceeds its length", () => {
    const any = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(any, any, (a, b) => {
        expect(estimateTokens(a)).toBeLessThanOrEqual(a.length);
        expect(estimateTokens(`${a}\n${b}`)).toBeGreaterThanOrEqual(Math.max(estimateTokens(a), estimateTokens(b)));
      }),
    );
  });
});

describe("createTokenCounter", () => {
  const base64 = "A".repeat(1_000_000);
  const attachments: InputItem[] = [
    user([{ type: "input_image", image_url: `data:image/png;base64,${base64}` }]),
    user([{ type: "input_image", image_url: `data:image/png;base64,${base64}`, detail: "low" }]),
    user([{ type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${base64}` }]),
    user([{ type: "input_audio", input_audio: { data: base64, format: "wav" } }]),
    functionCallOutput("call_1", [{ type: "input_image", image_url: `data:image/png;base64,${base64}` }]),
    { type: "image_generation_call", id: "ig_1", status: "completed", result: base64 },
    {
      type: "computer_call_output",
      id: "co_1",
      status: "completed",
      call_id: "call_2",
      output: { type: "computer_screenshot", image_url: base64 },
    },
    { type: "acme:picture", id: "p_1", url: `data:image/png;base64,${base64}` },
  ];

  test.each(attachments.map((item) => [item.type, item] as const))("does not count the bytes of an attachment: %s", (_, item) => {
    const tokens = createTokenCounter().item(item);
    expect(tokens).toBeGreaterThan(50);
    expect(tokens).toBeLessThan(3_000);
  });

  test("counts words, arguments and results, and not what no model reads", () => {
    const counter = createTokenCounter((text) => text.length);
    const bare = counter.item(user(""));
    expect(counter.item(user("12345")) - bare).toBe(5);
    const annotated: InputItem = {
      type: "message",
      id: "msg_1234567890",
      status: "completed",
      role: "assistant",
      content: [
        { type: "output_text", text: "12345", annotations: [{ type: "file_path", file_id: "file_123456789", index: 0 }] },
      ],
    };
    const plain: InputItem = { type: "message", role: "assistant", content: "12345" };
    expect(counter.item(annotated)).toBe(counter.item(plain));
  });

  test("counts each item once, however often it is asked", () => {
    let counted = 0;
    const counter = createTokenCounter((text) => ((counted += 1), text.length));
    const items = Array.from({ length: 10 }, (_, index) => user(`message ${index}`));
    counter.items(items);
    const once = counted;
    for (let again = 0; again < 10; again += 1) counter.items(items);
    expect(counted).toBe(once);
  });
});

describe("clip", () => {
  test("keeps a text that is short enough, and says what it leaves out of a longer one", () => {
    expect(clip("short", 5)).toBe("short");
    const text = clip(`${"a".repeat(500)}${"z".repeat(500)}`, 100);
    expect(text).toBe(`${"a".repeat(75)}\n[… 900 characters omitted …]\n${"z".repeat(25)}`);
  });

  test("never parts the halves of a character", () => {
    // It throws where half a character stands alone.
    for (let length = 2; length < 40; length += 1) expect(encodeURIComponent(clip("👋".repeat(40), length))).toContain("%F0");
  });

  test("shortens what a tool gave, and nothing else", () => {
    const long = "x".repeat(1_000);
    expect(JSON.stringify(clipOutput(functionCallOutput("c", long), 50)).length).toBeLessThan(400);
    expect(JSON.stringify(clipOutput(functionCallOutput("c", [{ type: "input_text", text: long }]), 50)).length).toBeLessThan(
      400,
    );
    const [words, short] = [user(long), functionCallOutput("c", "short")];
    expect(clipOutput(words, 50)).toBe(words);
    expect(clipOutput(short, 50)).toBe(short);
  });
});
