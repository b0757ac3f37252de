import { encodeBase64 } from "../core/base64.ts";
import { AntiphonError } from "../core/error.ts";
import { sniffMime } from "../core/mime.ts";
import { checkOptions, either, func, milliseconds, object, oneOf, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { ApplyPatchCall, ComputerCall, LocalShellCall, ShellCall, ShellOutput, Tool } from "../model/index.ts";
import type { RunnableTool, ToolContext } from "../tools/tool.ts";
import { applyDiff, createdText } from "./apply-diff.ts";
import { applyPatch, computer, localShell, shell, type ComputerOptions } from "./options.ts";

/** Whether somebody must agree before a call runs: always where nothing is said. */
export type Approval<Call, Context = unknown> =
  | "always"
  | "never"
  | ((call: Call, context: ToolContext<Context>) => boolean | Promise<boolean>);

interface ExecutorParts<Call extends { type: string }, Context> {
  definition: Tool;
  name: string;
  call: Call["type"];
  approval?: Approval<Call, Context>;
  timeout?: number;
  /** Without it every call is declined, and nobody is asked first. */
  run: ((call: Call, context: ToolContext<Context>) => unknown) | undefined;
}

const sharedRules = {
  approval: either('be "always", "never" or a function', oneOf("always", "never"), func),
  timeout: milliseconds,
};
const shellRules: Rules<ShellToolOptions> = { ...sharedRules, run: func };
const localShellRules: Rules<LocalShellToolOptions> = { ...sharedRules, run: func };
const applyPatchRules: Rules<ApplyPatchToolOptions> = { ...sharedRules, read: func, write: func, remove: func };
const computerRules: Rules<ComputerToolOptions> = { ...sharedRules, act: func, screenshot: func, display: object };

/** A tool of the provider's vocabulary whose calls are answered here. */
function executor<Call extends { type: string }, Context>(parts: ExecutorParts<Call, Context>): RunnableTool<Call, Context> {
  const { definition, name, call: type, timeout, run } = parts;
  const approval = run ? (parts.approval ?? "always") : "never";
  return {
    name,
    definition,
    changes: [],
    read: (written) => {
      // The type is what tells these items apart; the provider vouches for the rest.
      if (isObject(written) && written["type"] === type) return written as unknown as Call;
      throw new AntiphonError("BAD_REQUEST", `The ${name} tool requires a ${type} item.`);
    },
    run: run ?? refuse(name),
    needsApproval: (call, context) => (typeof approval === "function" ? approval(call, context) : approval === "always"),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

const refuse = (name: string) => (): never => {
  throw new AntiphonError("PERMISSION", `The application does not run ${name} calls and declined this one.`);
};

/** What a command gave: its output in full, or what it printed where it ended well. */
export type CommandResult = ShellOutput | string;

const shellOutput = (result: CommandResult): ShellOutput =>
  typeof result === "string" ? { stdout: result, stderr: "", outcome: { type: "exit", exit_code: 0 } } : result;

/** How shell calls are answered. */
export interface ShellToolOptions<Context = unknown> {
  /** Runs one command. Without it every call is declined. */
  run?(
    command: string,
    about: { timeout: number | undefined; context: ToolContext<Context> },
  ): CommandResult | Promise<CommandResult>;
  approval?: Approval<ShellCall, Context>;
  /** Milliseconds for a whole call. */
  timeout?: number;
}

/**
 * Creates a tool that executes `shell_call` items. Commands run one after the other, and only after somebody agreed.
 *
 * @example
 * const shell = shellTool({ run: (command) => sandbox.exec(command) });
 */
export function shellTool<Context = unknown>(all: ShellToolOptions<Context> = {}): RunnableTool<ShellCall, Context> {
  checkOptions("shellTool", all, shellRules);
  const { run, ...options } = all;
  return executor<ShellCall, Context>({
    ...options,
    definition: shell(),
    name: "shell",
    call: "shell_call",
    run: run && ((call, context) => runCommands(call, context, run)),
  });
}

async function runCommands<Context>(
  { action }: ShellCall,
  context: ToolContext<Context>,
  run: NonNullable<ShellToolOptions<Context>["run"]>,
): Promise<ShellOutput[]> {
  const outputs: ShellOutput[] = [];
  for (const command of action.commands) {
    context.signal.throwIfAborted();
    const output = shellOutput(await run(command, { timeout: action.timeout_ms ?? undefined, context }));
    outputs.push(clipped(output, action.max_output_length));
  }
  return outputs;
}

/** The model says how much it wants to read of both streams together. */
function clipped({ stdout, stderr, outcome }: ShellOutput, most: number | null | undefined): ShellOutput {
  if (most === null || most === undefined) return { stdout, stderr, outcome };
  const out = stdout.slice(0, most);
  return { stdout: out, stderr: stderr.slice(0, most - out.length), outcome };
}

/** How local shell calls are answered. */
export interface LocalShellToolOptions<Context = unknown> {
  /** Runs a command, given as its words. Without it every call is declined. */
  run?(action: LocalShellCall["action"], context: ToolContext<Context>): CommandResult | Promise<CommandResult>;
  approval?: Approval<LocalShellCall, Context>;
  timeout?: number;
}

/** Creates a tool that executes `local_shell_call` items. Commands run only after somebody agreed. */
export function localShellTool<Context = unknown>(
  all: LocalShellToolOptions<Context> = {},
): RunnableTool<LocalShellCall, Context> {
  checkOptions("localShellTool", all, localShellRules);
  const { run, ...options } = all;
  return executor<LocalShellCall, Context>({
    ...options,
    definition: localShell(),
    name: "local_shell",
    call: "local_shell_call",
    run: run && (({ action }, context) => run(action, context)),
  });
}

/** Where patches go. */
export interface ApplyPatchToolOptions<Context = unknown> {
  /** The text of a file, or nothing where there is none. */
  read?(path: string): string | undefined | Promise<string | undefined>;
  write?(path: string, text: string): void | Promise<void>;
  remove?(path: string): void | Promise<void>;
  approval?: Approval<ApplyPatchCall, Context>;
  timeout?: number;
}

/**
 * Creates a tool that applies a model's patches to your files. Paths are relative and stay below where they start;
 * changes are made only after somebody agreed. Without all three functions every call is declined.
 *
 * @example
 * const patch = applyPatchTool({ read: (path) => files.get(path), write: (path, text) => void files.set(path, text), remove: (path) => void files.delete(path) });
 */
export function applyPatchTool<Context = unknown>(
  all: ApplyPatchToolOptions<Context> = {},
): RunnableTool<ApplyPatchCall, Context> {
  checkOptions("applyPatchTool", all, applyPatchRules);
  const { read, write, remove, ...options } = all;
  return executor<ApplyPatchCall, Context>({
    ...options,
    definition: applyPatch(),
    name: "apply_patch",
    call: "apply_patch_call",
    run: read && write && remove && (({ operation }) => patch(operation, { read, write, remove })),
  });
}

type Files = Required<Pick<ApplyPatchToolOptions, "read" | "write" | "remove">>;

async function patch(operation: ApplyPatchCall["operation"], { read, write, remove }: Files): Promise<string> {
  const path = safePath(operation.path);
  const before = await read(path);
  if (operation.type === "create_file") {
    if (before !== undefined) throw patchError(`${path} already exists.`);
    await write(path, createdText(operation.diff));
    return `Created ${path}.`;
  }
  if (before === undefined) throw patchError(`The file ${path} does not exist.`);
  if (operation.type === "delete_file") {
    await remove(path);
    return `Deleted ${path}.`;
  }
  await write(path, applyDiff(before, operation.diff));
  return `Updated ${path}.`;
}

const patchError = (message: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param: "path" });

/** A path that cannot leave the place where it starts. */
function safePath(path: string): string {
  const steps = path.split(/[/\\]/).filter((step) => step !== "" && step !== ".");
  const absolute = /^([/\\]|[a-z]:)/i.test(path);
  if (absolute || steps.length === 0 || steps.includes("..") || path.includes("\0"))
    throw patchError(`The path must be relative and inside the working directory: ${path.slice(0, 200)}`);
  return steps.join("/");
}

/** A screen with mouse and keyboard. */
export interface ComputerToolOptions<Context = unknown> {
  /** Does one thing: a click, a key, a scroll. Without it every call is declined. */
  act?(action: { type: string; [field: string]: unknown }, context: ToolContext<Context>): void | Promise<void>;
  /** What is seen now: the bytes of a picture, or its URL. */
  screenshot?(context: ToolContext<Context>): Uint8Array | string | Promise<Uint8Array | string>;
  /** What the screen is, for models that want to know: `{ environment: "browser", width: 1024, height: 768 }`. */
  display?: ComputerOptions;
  approval?: Approval<ComputerCall, Context>;
  timeout?: number;
}

/** Creates a tool that executes a model's actions on a computer. It does nothing before somebody agreed. */
export function computerTool<Context = unknown>(all: ComputerToolOptions<Context> = {}): RunnableTool<ComputerCall, Context> {
  checkOptions("computerTool", all, computerRules);
  const { act, screenshot, display, ...options } = all;
  return executor<ComputerCall, Context>({
    ...options,
    definition: computer(display),
    name: "computer",
    call: "computer_call",
    run: act && screenshot && ((call, context) => useComputer(call, context, act, screenshot)),
  });
}

async function useComputer<Context>(
  { action, actions }: ComputerCall,
  context: ToolContext<Context>,
  act: NonNullable<ComputerToolOptions<Context>["act"]>,
  screenshot: NonNullable<ComputerToolOptions<Context>["screenshot"]>,
): Promise<{ type: "computer_screenshot"; image_url: string }> {
  for (const one of actions ?? (action ? [action] : [])) {
    context.signal.throwIfAborted();
    if (one.type !== "screenshot") await act(one, context);
  }
  const seen = await screenshot(context);
  const image_url = typeof seen === "string" ? seen : `data:${sniffMime(seen)};base64,${encodeBase64(seen)}`;
  return { type: "computer_screenshot", image_url };
}
