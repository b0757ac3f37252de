import { readFile } from "node:fs/promises";
import {
  Agent,
  isTerminal,
  outcome,
  refusal,
  user,
  type AgentOptions,
  type JsonSchema,
  type Provider,
  type Reply,
  type ResponseResource,
} from "antiphon";
import { choiceReason, chosenProvider } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import type { Settings } from "./config/load.ts";
import { deadline } from "./deadline.ts";
import { defined } from "./defined.ts";
import { exitCodes } from "./exit-codes.ts";
import { errorEvent } from "./failures.ts";
import { CommandError, readArguments, UsageError, type Parsed } from "./options.ts";
import { promptOf } from "./prompt.ts";
import { saveFiles } from "./save-files.ts";
import { toolsFor, unattended, type ToolBox } from "./tools.ts";
import { jsonView, mayColour, TextView, type View } from "./view.ts";

type RunFlags = Parsed<typeof commands.run.flags>["flags"];

/** Runs one prompt and returns the exit code. With `--json`, the last line is a terminal event or an error. */
export async function run(args: string[], signal: AbortSignal): Promise<number> {
  const end = args.indexOf("--");
  const isJson = (end === -1 ? args : args.slice(0, end)).includes("--json");
  const output = { hasEnded: false };
  try {
    return await runPrompt(args, signal, output);
  } catch (error) {
    if (isJson && !output.hasEnded) process.stdout.write(`${JSON.stringify(errorEvent(error))}\n`);
    throw error;
  }
}

/** Whether an event was printed that reports a failure. An error after `response.completed` gets its own line. */
interface Output {
  hasEnded: boolean;
}

async function runPrompt(args: string[], signal: AbortSignal, printed: Output): Promise<number> {
  const { flags, words } = readArguments(commands.run, args);
  const settings = await settingsFor(commands.run, { flags });
  const provider = chosenProvider(settings, { baseUrl: flags["base-url"] });
  const reason = choiceReason(settings, provider);
  if (reason !== undefined) process.stderr.write(`antiphon: ${reason}\n`);
  const output = flags.schema === undefined ? undefined : await readSchema(flags.schema);
  const recorder = flags.record === undefined ? undefined : await recorderFor(flags.record, provider);
  const box = await toolsFor(settings, flags, "never");
  try {
    const agent = new Agent({
      model: provider,
      ...agentOptions(settings),
      ...consent(box, flags),
      ...(output && { output }),
      ...(recorder && { connect: { transport: recorder } }),
    });
    const prompt = await promptOf(words);
    return await answer(agent, prompt, flags, { signal: deadline(settings.values.timeout, signal), printed });
  } finally {
    await box.close();
    await recorder?.flush();
  }
}

/** The options of the agent from the configuration. */
function agentOptions({ values }: Settings): Omit<AgentOptions, "model"> {
  const { instructions, effort, verbosity, temperature, max_tokens, max_steps, parallel_tool_calls, store } = values;
  return defined({
    instructions,
    verbosity,
    temperature,
    parallel_tool_calls,
    store,
    max_output_tokens: max_tokens,
    maxSteps: max_steps,
    reasoning: effort && { effort },
  });
}

/** Calls that require approval are approved by `--yes` or declined. */
function consent({ tools }: ToolBox, { yes }: RunFlags): Pick<AgentOptions, "tools" | "beforeTool"> {
  if (tools.length === 0) return {};
  return yes ? { tools, beforeTool: () => ({ action: "continue" }) } : { tools: unattended(tools) };
}

async function recorderFor(folder: string, provider: Provider) {
  if ("respond" in provider) throw new UsageError(`--record has no effect with ${provider.name}: it makes no API requests`);
  const [{ createHttpTransport, fileTape }, { record }] = await Promise.all([
    import("antiphon/node"),
    import("antiphon/testing"),
  ]);
  return record(createHttpTransport(), fileTape(folder), { chunks: true });
}

async function answer(
  agent: Agent,
  prompt: Awaited<ReturnType<typeof promptOf>>,
  flags: RunFlags,
  { signal, printed }: { signal: AbortSignal; printed: Output },
): Promise<number> {
  const view = viewOf(flags);
  const stream = agent.stream([user(prompt)], { signal });
  let response: ResponseResource | undefined;
  try {
    for await (const event of stream) {
      view.show(event);
      if (isTerminal(event)) {
        ({ response } = event);
        printed.hasEnded = event.type !== "response.completed";
      }
    }
  } finally {
    view.end();
  }
  const code = response ? conclude(response) : exitCodes.general;
  if (code !== exitCodes.ok) return code;
  const reply = await stream.reply;
  if (flags.schema !== undefined && !flags.json) process.stdout.write(`${JSON.stringify(reply.output, null, 2)}\n`);
  if (reply.files.length > 0) await keepFiles(reply, flags.save);
  return code;
}

async function keepFiles({ files }: Reply, folder: string | undefined): Promise<void> {
  if (folder === undefined) {
    process.stderr.write(
      `antiphon: the model created ${files.length === 1 ? "a file" : `${files.length} files`}; save with --save <folder>\n`,
    );
    return;
  }
  for (const { path } of await saveFiles(files, folder)) process.stderr.write(`saved ${path}\n`);
}

function viewOf(flags: RunFlags): View {
  const terminal = { out: process.stdout, err: process.stderr, hasColour: mayColour(process.stderr, process.env) };
  return flags.json ? jsonView(terminal) : new TextView(terminal, flags.schema === undefined);
}

async function readSchema(path: string): Promise<JsonSchema> {
  try {
    const schema: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw new Error("not a JSON object");
    return schema as JsonSchema;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`--schema: ${isMissing ? `no such file: ${path}` : `${path} is not a JSON Schema: ${reason}`}`);
  }
}

const limits: Readonly<Record<string, string>> = { max_output_tokens: "--max-tokens", max_steps: "--max-steps" };

function incomplete(reason: string): string {
  const option = Object.hasOwn(limits, reason) ? limits[reason] : undefined;
  return `incomplete answer: ${reason}${option ? ` (raise it with ${option})` : ""}`;
}

/** Returns the exit code of a finished response. Throws if it failed. */
function conclude(response: ResponseResource): number {
  const end = outcome(response);
  if (end?.state === "failed" || end?.state === "truncated") throw end.error;
  if (end?.state === "completed") return refusal(response) === undefined ? exitCodes.ok : exitCodes.general;
  process.stderr.write(`antiphon: ${end?.state === "incomplete" ? incomplete(end.reason) : "cancelled"}\n`);
  return exitCodes.general;
}
