import { describe, expect, test } from "vitest";
import { run } from "../../src/agent/loop/run.ts";
import type { RunOptions } from "../../src/agent/loop/run-options.ts";
import { collect } from "../../src/core/collect.ts";
import { finishReason, text } from "../../src/core/views.ts";
import { applyPatchTool, computerTool, localShellTool, shellTool } from "../../src/hosted/executors.ts";
import type { ApplyPatchCall, ComputerCall, Item, LocalShellCall, ShellCall } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import type { RunnableTool, ToolContext } from "../../src/tools/tool.ts";

const shellCall = (commands: string[], more: object = {}): ShellCall => ({
  type: "shell_call",
  id: "sh_1",
  call_id: "call_1",
  status: "completed",
  action: { commands, ...more },
});
const localCall: LocalShellCall = {
  type: "local_shell_call",
  id: "lsh_1",
  call_id: "call_1",
  status: "completed",
  action: { type: "exec", command: ["ls", "-l"], env: {} },
};
const patchCall = (operation: ApplyPatchCall["operation"]): ApplyPatchCall => ({
  type: "apply_patch_call",
  id: "apc_1",
  call_id: "call_1",
  status: "completed",
  operation,
});
const computerCall = (more: Partial<ComputerCall> = {}): ComputerCall => ({
  type: "computer_call",
  id: "cu_1",
  call_id: "call_1",
  status: "completed",
  action: { type: "click", x: 1, y: 2 },
  pending_safety_checks: [],
  ...more,
});

/** Lets a scripted model make a call, and gives what it was answered. */
async function answered<Call>(call: Item, tool: RunnableTool<Call>, options: RunOptions = {}) {
  const model = scripted([[call], "Done."]);
  const response = await collect(run(model, { input: "Go." }, { ...options, tools: [tool as RunnableTool] }));
  const answer = (model.requests[1]?.input ?? []).at(-1);
  return { response, answer, sent: model.requests[0]?.tools };
}

const allow: RunOptions = { beforeTool: () => ({ action: "continue" }) };

describe("a shell", () => {
  test("runs commands one after the other once somebody agreed, and answers with what each gave", async () => {
    const seen: string[] = [];
    const tool = shellTool({
      run: (command, { timeout }) => {
        seen.push(`${command} ${timeout}`);
        return command === "false" ? { stdout: "", stderr: "no", outcome: { type: "exit", exit_code: 1 } } : `${command}!`;
      },
    });
    const { answer, sent, response } = await answered(shellCall(["ls", "false"], { timeout_ms: 500 }), tool, allow);
    expect(seen).toEqual(["ls 500", "false 500"]);
    expect(sent).toEqual([{ type: "shell", environment: { type: "local" } }]);
    expect(answer).toMatchObject({
      type: "shell_call_output",
      call_id: "call_1",
      output: [
        { stdout: "ls!", stderr: "", outcome: { type: "exit", exit_code: 0 } },
        { stdout: "", stderr: "no", outcome: { type: "exit", exit_code: 1 } },
      ],
    });
    expect(text(response)).toBe("Done.");
  });

  test("waits where nobody has agreed, and nothing runs", async () => {
    let ran = 0;
    const { response, answer } = await answered(shellCall(["rm -rf /"]), shellTool({ run: () => `${++ran}` }));
    expect(finishReason(response)).toBe("tool_calls");
    expect([ran, answer]).toEqual([0, undefined]);
  });

  test("without a function declines every call at once", async () => {
    const { answer, response } = await answered(shellCall(["ls"]), shellTool());
    expect(finishReason(response)).toBe("stop");
    expect(JSON.stringify(answer)).toContain("The application does not run shell calls and declined this one.");
  });

  test("gives no more than the model wants to read", async () => {
    const long = { stdout: "o".repeat(8), stderr: "e".repeat(8), outcome: { type: "exit" as const, exit_code: 0 } };
    const tool = shellTool({ run: () => long, approval: "never" });
    const { answer } = await answered(shellCall(["x"], { max_output_length: 10 }), tool);
    expect(answer).toMatchObject({ output: [{ stdout: "oooooooo", stderr: "ee" }] });
  });

  test("asks for approval by its own rule", async () => {
    const tool = shellTool({ run: (command) => command, approval: ({ action }) => action.commands.some((one) => one !== "ls") });
    expect((await answered(shellCall(["ls"]), tool)).answer).toMatchObject({ output: [{ stdout: "ls" }] });
    expect(finishReason((await answered(shellCall(["rm"]), tool)).response)).toBe("tool_calls");
  });

  test("runs no further command after the run was stopped", async () => {
    const controller = new AbortController();
    const seen: string[] = [];
    const tool = shellTool({ run: (command) => (seen.push(command), controller.abort(), "") });
    const context: ToolContext = { signal: controller.signal, call_id: "c", name: "shell", context: undefined };
    await expect(tool.run(shellCall(["one", "two"]), context)).rejects.toThrow("aborted");
    expect(seen).toEqual(["one"]);
  });
});

test("a local shell is given the words of the command", async () => {
  const tool = localShellTool({ run: ({ command }) => command.join(" "), approval: "never" });
  const { answer, sent } = await answered(localCall, tool);
  expect(sent).toEqual([{ type: "local_shell" }]);
  expect(answer).toMatchObject({ type: "local_shell_call_output", id: "call_1", output: "ls -l" });
});

describe("patches", () => {
  const files = new Map<string, string>();
  const tool = applyPatchTool({
    read: (path) => files.get(path),
    write: (path, content) => void files.set(path, content),
    remove: (path) => void files.delete(path),
    approval: "never",
  });
  const apply = async (operation: ApplyPatchCall["operation"]) => (await answered(patchCall(operation), tool)).answer;

  test("create, change and delete files", async () => {
    expect(await apply({ type: "create_file", path: "./src/a.txt", diff: "+one\n+two\n" })).toEqual({
      type: "apply_patch_call_output",
      call_id: "call_1",
      status: "completed",
      output: "Created src/a.txt.",
    });
    expect(files.get("src/a.txt")).toBe("one\ntwo\n");
    await apply({ type: "update_file", path: "src/a.txt", diff: "@@\n one\n-two\n+2\n" });
    expect(files.get("src/a.txt")).toBe("one\n2\n");
    await apply({ type: "delete_file", path: "src/a.txt" });
    expect(files.size).toBe(0);
  });

  test.each([
    [{ type: "update_file", path: "none.txt", diff: "@@\n-a\n+b\n" }, "The file none.txt does not exist."],
    [{ type: "delete_file", path: "none.txt" }, "The file none.txt does not exist."],
    [{ type: "create_file", path: "there.txt", diff: "+x\n" }, "there.txt already exists."],
    [{ type: "update_file", path: "there.txt", diff: "@@\n-b\n+c\n" }, "Change 1 does not match the file."],
    [{ type: "create_file", path: "../out.txt", diff: "+x\n" }, "inside the working directory"],
    [{ type: "create_file", path: "a/../../out.txt", diff: "+x\n" }, "inside the working directory"],
    [{ type: "create_file", path: "/etc/passwd", diff: "+x\n" }, "must be relative"],
    [{ type: "create_file", path: "C:\\boot.ini", diff: "+x\n" }, "must be relative"],
  ] as const)("that cannot be made are told to the model as failed, and change nothing: %j", async (operation, words) => {
    files.clear();
    files.set("there.txt", "a\n");
    const answer = await apply(operation);
    expect(answer).toMatchObject({ status: "failed", output: expect.stringContaining(words) });
    expect([...files]).toEqual([["there.txt", "a\n"]]);
  });
});

describe("a computer", () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const image_url = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const acted: string[] = [];
  const options = { act: ({ type }: { type: string }) => void acted.push(type), screenshot: () => png };

  test("does what is asked and shows its screen", async () => {
    acted.length = 0;
    const actions = [{ type: "move" }, { type: "screenshot" }, { type: "type", text: "hi" }];
    const display = { environment: "browser", width: 1024, height: 768 } as const;
    const call = computerCall({ actions });
    const { answer, sent } = await answered(call, computerTool({ ...options, display, approval: "never" }));
    expect(acted).toEqual(["move", "type"]);
    expect(sent).toEqual([{ type: "computer_use_preview", environment: "browser", display_width: 1024, display_height: 768 }]);
    expect(answer).toMatchObject({ type: "computer_call_output", output: { type: "computer_screenshot", image_url } });
  });

  test("waits where the provider has doubts, whatever its own rule is", async () => {
    acted.length = 0;
    const call = computerCall({
      pending_safety_checks: [{ id: "sc_1", code: "malicious_instructions", message: "Look first." }],
    });
    const { response } = await answered(call, computerTool({ ...options, approval: "never" }));
    expect([finishReason(response), acted]).toEqual(["tool_calls", []]);
    const { answer } = await answered(call, computerTool(options), allow);
    expect(answer).toMatchObject({ acknowledged_safety_checks: [{ id: "sc_1" }] });
  });
});

test("an executor takes no other item", () => {
  expect(() => shellTool().read({ type: "local_shell_call" })).toThrow("The shell tool requires a shell_call item.");
});
