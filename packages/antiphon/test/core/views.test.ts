import { describe, expect, test } from "vitest";
import { blankResponse } from "../../src/core/blank-response.ts";
import { finishReason, functionCalls, hoistInstructions, outcome, refusal, text, thinking } from "../../src/core/views.ts";
import { assistant, developer, system, user, type Item, type ResponseResource } from "../../src/model/index.ts";

const said = (answer: string): Item => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: answer, annotations: [] }],
});
const declined: Item = {
  type: "message",
  id: "msg_2",
  status: "completed",
  role: "assistant",
  content: [{ type: "refusal", refusal: "I can't." }],
};
const call: Item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "clock", arguments: "{}", status: "completed" };
const shell: Item = { type: "shell_call", id: "sh_1", call_id: "call_2", status: "completed", action: { commands: ["ls"] } };
const shellOutput: Item = { type: "shell_call_output", id: "sho_1", call_id: "call_2", status: "completed", output: [] };
const response = (fields: Partial<ResponseResource>): ResponseResource => ({ ...blankResponse("resp_1", 0, {}), ...fields });

describe("finishReason and outcome", () => {
  const rows: [string, Partial<ResponseResource>, string | null, string | undefined][] = [
    ["an answer", { status: "completed", output: [said("Hi")] }, "stop", "completed"],
    ["a function call", { status: "completed", output: [said("Hm"), call] }, "tool_calls", "completed"],
    ["a shell call that waits", { status: "completed", output: [shell] }, "tool_calls", "completed"],
    [
      "a shell call that ran at the provider",
      { status: "completed", output: [shell, shellOutput, said("Done")] },
      "stop",
      "completed",
    ],
    ["a refusal", { status: "completed", output: [declined] }, "refusal", "completed"],
    ["the token limit", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length", "incomplete"],
    [
      "a content filter",
      { status: "incomplete", incomplete_details: { reason: "content_filter" } },
      "content_filter",
      "incomplete",
    ],
    ["an odd reason", { status: "incomplete", incomplete_details: { reason: "constructor" } }, "length", "incomplete"],
    ["an unknown reason", { status: "incomplete", incomplete_details: { reason: "sunset" } }, "length", "incomplete"],
    ["a stop by the caller", { status: "incomplete", incomplete_details: { reason: "cancelled" } }, "cancelled", "cancelled"],
    ["a background job that was cancelled", { status: "cancelled" }, "cancelled", "cancelled"],
    ["a failure", { status: "failed", error: { code: "server_error", message: "Oops" } }, "error", "failed"],
    ["a broken stream", { status: "failed", error: { code: "truncated", message: "Cut" } }, "error", "truncated"],
    ["a job at work", { status: "in_progress" }, null, undefined],
    ["a queued job", { status: "queued" }, null, undefined],
  ];
  test.each(rows)("%s", (_, fields, reason, state) => {
    expect(finishReason(response(fields))).toBe(reason);
    expect(outcome(response(fields))?.state).toBe(state);
  });

  test("a failure carries the vendor's words as an error", () => {
    const failed = outcome(
      response({
        status: "failed",
        error: { code: "insufficient_quota", message: "No money.", request_id: "req_1", param: "model" },
      }),
    );
    expect(failed).toMatchObject({
      state: "failed",
      error: { code: "QUOTA_EXCEEDED", message: "No money.", requestId: "req_1", param: "model" },
    });
  });

  test("an incomplete answer keeps its reason", () => {
    expect(outcome(response({ status: "incomplete", incomplete_details: { reason: "content_filter" } }))).toEqual({
      state: "incomplete",
      reason: "content_filter",
    });
  });
});

describe("text, thinking, refusal, functionCalls", () => {
  const thought: Item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Briefly." }] };
  const raw: Item = { ...thought, id: "rs_2", content: [{ type: "reasoning_text", text: "At length." }] };
  const output = [thought, raw, said("One "), declined, said("two"), call];

  test("each reads its own part of the answer and nothing else", () => {
    expect(text(output)).toBe("One two");
    expect(thinking(output)).toBe("Briefly.\n\nAt length.");
    expect(refusal(output)).toBe("I can't.");
    expect(functionCalls(output)).toEqual([call]);
    expect(text(response({ output }))).toBe("One two");
  });

  test("an answer without a refusal has none", () => {
    expect(refusal([said("Hi")])).toBeUndefined();
  });
});

describe("hoistInstructions", () => {
  test("moves system and developer messages at the head, and only those", () => {
    const input = [system("Be brief."), developer("Be kind."), user("Hi"), system("Now shout."), assistant("HI")];
    expect(hoistInstructions(input)).toEqual({ instructions: "Be brief.\n\nBe kind.", input: input.slice(2) });
  });

  test("reads content parts", () => {
    const input = [{ role: "system" as const, content: [{ type: "input_text" as const, text: "Be brief." }] }];
    expect(hoistInstructions(input)).toEqual({ instructions: "Be brief.", input: [] });
  });

  test("leaves an input without them alone", () => {
    const input = [user("Hi")];
    expect(hoistInstructions(input)).toEqual({ instructions: null, input });
  });
});
