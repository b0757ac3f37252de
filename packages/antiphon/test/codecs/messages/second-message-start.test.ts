import { describe, expect, test } from "vitest";
import { model, streamed } from "./support.ts";

const start = (id: string) => ({
  type: "message_start",
  message: { id, model, content: [], usage: { input_tokens: 10, output_tokens: 1 } },
});
const open = (content_block: object) => ({ type: "content_block_start", index: 0, content_block });
const text = (piece: string) => [
  open({ type: "text", text: "" }),
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: piece } },
  { type: "content_block_stop", index: 0 },
];
const end = [
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];

describe("a second message_start", () => {
  test("of the same message is ignored", () => {
    const response = streamed([start("msg_1"), start("msg_1"), ...text("Hel"), start("msg_1"), ...text("lo"), ...end]);
    expect(response).toMatchObject({ id: "resp_msg_1", status: "completed", output: [{ content: [{ text: "Hello" }] }] });
  });

  test("of another message ends the response as truncated, with what came before it", () => {
    const call = open({ type: "tool_use", id: "toolu_1", name: "f", input: {} });
    const response = streamed([start("msg_1"), call, start("msg_2"), ...text("Hi"), ...end]);
    expect(response).toMatchObject({
      id: "resp_msg_1",
      status: "failed",
      error: { code: "truncated" },
      output: [{ type: "function_call", status: "incomplete" }],
    });
  });
});
