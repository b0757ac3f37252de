import { describe, expect, test } from "vitest";
import { finishReason } from "../../../src/core/views.ts";
import type { CreateResponse, InputItem, Tool } from "../../../src/model/index.ts";
import { pausedRun } from "../../../src/agent/loop/paused-run.ts";
import { itemsAfter } from "../../../src/agent/loop/run-items.ts";
import type { Decision } from "../../../src/agent/loop/run-options.ts";
import { scripted } from "../../../src/testing/scripted.ts";
import type { RunnableTool } from "../../../src/tools/tool.ts";
import { askedWith, play, tool } from "./support.ts";

const asked: CreateResponse = { input: "Go." };

const executor = (definition: Tool, run: RunnableTool["run"]): RunnableTool => ({
  ...tool(definition.type, () => {}),
  definition,
  read: (written) => written,
  run,
});
const failing = (): never => {
  throw new Error("Broken.");
};

interface Kind {
  item: InputItem;
  definition?: Tool;
  /** What an executor gives, and the answer made of it. */
  gives: unknown;
  answer: InputItem;
  /** The answers to an executor that throws and to a refusal; none where there are no words for it. */
  failure?: InputItem;
  refusal?: InputItem;
}

const declined = "The call was declined and did not run: No.";
const screen = "data:image/png;base64,AA==";

const kinds: Record<string, Kind> = {
  custom_tool_call: {
    item: { type: "custom_tool_call", call_id: "c1", name: "sql", input: "select 1" },
    definition: { type: "custom", name: "sql" },
    gives: "1",
    answer: { type: "custom_tool_call_output", call_id: "c1", output: "1" },
    failure: { type: "custom_tool_call_output", call_id: "c1", output: "Error: Broken." },
    refusal: { type: "custom_tool_call_output", call_id: "c1", output: declined },
  },
  local_shell_call: {
    item: {
      type: "local_shell_call",
      id: "ls_1",
      status: "completed",
      call_id: "c1",
      action: { type: "exec", command: ["ls"], env: {} },
    },
    definition: { type: "local_shell" },
    gives: { stdout: "a" },
    answer: { type: "local_shell_call_output", id: "c1", output: '{"stdout":"a"}' },
    failure: { type: "local_shell_call_output", id: "c1", output: "Error: Broken." },
    refusal: { type: "local_shell_call_output", id: "c1", output: declined },
  },
  shell_call: {
    item: {
      type: "shell_call",
      id: "sh_1",
      status: "completed",
      call_id: "c1",
      action: { commands: ["ls"], max_output_length: 99 },
    },
    definition: { type: "shell" },
    gives: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 3 } }],
    answer: {
      type: "shell_call_output",
      call_id: "c1",
      max_output_length: 99,
      output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 3 } }],
    },
    failure: {
      type: "shell_call_output",
      call_id: "c1",
      max_output_length: 99,
      output: [{ stdout: "", stderr: "Error: Broken.", outcome: { type: "exit", exit_code: 1 } }],
    },
    refusal: {
      type: "shell_call_output",
      call_id: "c1",
      max_output_length: 99,
      output: [{ stdout: "", stderr: declined, outcome: { type: "exit", exit_code: 1 } }],
    },
  },
  apply_patch_call: {
    item: {
      type: "apply_patch_call",
      id: "ap_1",
      status: "completed",
      call_id: "c1",
      operation: { type: "delete_file", path: "a" },
    },
    definition: { type: "apply_patch" },
    gives: "Deleted.",
    answer: { type: "apply_patch_call_output", call_id: "c1", status: "completed", output: "Deleted." },
    failure: { type: "apply_patch_call_output", call_id: "c1", status: "failed", output: "Error: Broken." },
    refusal: { type: "apply_patch_call_output", call_id: "c1", status: "failed", output: declined },
  },
  computer_call: {
    item: {
      type: "computer_call",
      id: "cu_1",
      status: "completed",
      call_id: "c1",
      pending_safety_checks: [],
      action: { type: "click" },
    },
    definition: { type: "computer_use_preview" },
    gives: screen,
    answer: { type: "computer_call_output", call_id: "c1", output: { type: "computer_screenshot", image_url: screen } },
  },
  mcp_approval_request: {
    item: { type: "mcp_approval_request", id: "mcpr_1", server_label: "docs", name: "read", arguments: "{}" },
    gives: undefined,
    answer: { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
    refusal: { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: false, reason: declined },
  },
};

const named = Object.entries(kinds);
const runnable = named.filter(([, { definition }]) => definition);

describe("calls that are no function calls", () => {
  test.each(named)("%s waits for the caller where nothing runs it", async (_, { item, definition }) => {
    const { response } = await play(scripted([[item]]), { ...asked, tools: definition ? [definition] : [] });
    expect(finishReason(response)).toBe("tool_calls");
    expect(response.output).toHaveLength(1);
  });

  test.each(runnable)("%s is run by a tool of its type", async (_, { item, definition, gives, answer }) => {
    const seen: unknown[] = [];
    const model = scripted([[item], "Done."]);
    const { response } = await play(model, asked, { tools: [executor(definition!, (input) => (seen.push(input), gives))] });
    expect(askedWith(model, 1).at(-1)).toEqual(answer);
    expect(response.output).toHaveLength(3);
    expect(seen).toEqual([item.type === "custom_tool_call" ? "select 1" : expect.objectContaining(item)]);
    expect(itemsAfter(asked, response)).toContainEqual(expect.objectContaining(answer));
  });

  test.each(runnable)(
    "%s tells the model of a failure, or waits where it has no words",
    async (_, { item, definition, failure }) => {
      const model = scripted([[item], "Done."]);
      const { response } = await play(model, asked, { tools: [executor(definition!, failing)] });
      expect(finishReason(response)).toBe(failure ? "stop" : "tool_calls");
      expect(askedWith(model, 1).at(-1)).toEqual(failure);
    },
  );

  test.each(named)("%s can be decided about later", async (_, { item, definition, gives, answer, refusal }) => {
    const first = await play(scripted([[item]]), { ...asked, tools: definition ? [definition] : [] });
    const paused = pausedRun(asked, first.response)!;
    const decisionsFor = (decision: Decision) => ({ decisions: { [paused.pending[0]!.call_id]: decision } });
    const request = { input: paused.items };
    const yes = scripted(["Done."]);
    await play(yes, request, decisionsFor(gives === undefined ? { action: "continue" } : { action: "replace", output: gives }));
    expect(askedWith(yes, 0).at(-1)).toEqual(answer);
    const no = scripted(["Done."]);
    await play(no, request, decisionsFor({ action: "refuse", reason: "No." }));
    expect(askedWith(no, 0).at(-1)).toEqual(refusal);
  });

  test("a shell that ran out of time says so", async () => {
    const { item } = kinds["shell_call"]!;
    const slow = executor({ type: "shell" }, () => new Promise(() => {}));
    const { response } = await play(scripted([[item], "Done."]), asked, { tools: [{ ...slow, timeout: 2 }] });
    expect(response.output[1]).toMatchObject({ output: [{ outcome: { type: "timeout" } }] });
  });

  test("a shell's text is what it printed", async () => {
    const { item } = kinds["shell_call"]!;
    const { response } = await play(scripted([[item], "Done."]), asked, { tools: [executor({ type: "shell" }, () => "a\n")] });
    expect(response.output[1]).toMatchObject({
      output: [{ stdout: "a\n", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    });
  });

  test("a computer call with safety checks waits, and its answer names those that were agreed to", async () => {
    const checks = [{ id: "sc_1", code: "malicious_instructions", message: "Look out." }];
    const item = { ...kinds["computer_call"]!.item, pending_safety_checks: checks } as InputItem;
    const tools = [executor({ type: "computer" }, () => screen)];
    const first = await play(scripted([[item]]), asked, { tools });
    const paused = pausedRun(asked, first.response)!;
    expect(paused.pending).toMatchObject([{ call_id: "c1", name: "computer" }]);
    const model = scripted(["Done."]);
    await play(model, { input: paused.items }, { tools, decisions: { c1: { action: "continue" } } });
    expect(askedWith(model, 0).at(-1)).toMatchObject({ acknowledged_safety_checks: checks });
  });

  test("a shell call that ran at the provider is not run here", async () => {
    const { item } = kinds["shell_call"]!;
    const ran: InputItem = { type: "shell_call_output", call_id: "c1", output: [] };
    const { response } = await play(scripted([[item, ran]]), asked, { tools: [executor({ type: "shell" }, failing)] });
    expect(finishReason(response)).toBe("stop");
  });
});
