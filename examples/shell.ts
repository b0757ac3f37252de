// A local shell for the model. Each command runs only after a person approves it at the terminal.
import { exec } from "node:child_process";
import { createInterface } from "node:readline/promises";
import { collect, run, text, type PendingCall, type ShellOutput } from "antiphon";
import { shellTool } from "antiphon/hosted";
import { scripted } from "antiphon/testing";

const model = scripted([
  [{ type: "shell_call", id: "sh_1", call_id: "call_1", status: "completed", action: { commands: ["node --version"] } }],
  ({ input }) => {
    const output = Array.isArray(input) ? input.at(-1) : undefined;
    return output?.type === "shell_call_output"
      ? `The output is: ${output.output[0]?.stdout || output.output[0]?.stderr}`
      : "There is no output.";
  },
]);

const shell = shellTool({
  run: (command, { timeout = 10_000, context }) =>
    new Promise<ShellOutput>((resolve) => {
      exec(command, { timeout, signal: context.signal }, (error, stdout, stderr) => {
        const exit = { type: "exit" as const, exit_code: error?.code ?? 0 };
        resolve({ stdout, stderr, outcome: error?.killed ? { type: "timeout" as const } : exit });
      });
    }),
});

/** Asks for approval at the terminal. Without a terminal, declines. */
async function confirm(question: string): Promise<boolean> {
  console.log(question);
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("[y/N] ");
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

const beforeTool = async ({ item }: PendingCall) => {
  if (item.type !== "shell_call") return;
  const approved = await confirm(`The model wants to run: ${item.action.commands.join("; ")}`);
  return approved ? ({ action: "continue" } as const) : ({ action: "refuse", reason: "Not approved." } as const);
};

const response = await collect(run(model, { input: "Which version of Node is this?" }, { tools: [shell], beforeTool }));
console.log(text(response).trim());

// Prints:
//   The model wants to run: node --version
//   The output is: The call was declined and did not run: Not approved.
