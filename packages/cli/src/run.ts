import { AntiphonError, connect, outcome, refusal, text, type ResponseEvent, type ResponseResource } from "antiphon";
import { answer } from "./answer.ts";
import { runCommand } from "./commands.ts";
import { exitCodes } from "./failures.ts";
import { chosenProvider } from "./chosen-provider.ts";
import { readArguments } from "./options.ts";
import { questionOf, type RunFlags } from "./question.ts";
import { jsonView, mayColour, TextView, type View } from "./view.ts";

/** Answers one prompt; gives the exit code. */
export async function run(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(runCommand, args);
  const question = await questionOf(flags, words, signal);
  const respond = connect(chosenProvider(flags));
  const view = viewOf(flags);
  const response = await show(answer(respond, question), view);
  const code = conclude(response);
  if (code === exitCodes.ok && flags.schema !== undefined && !flags.json) process.stdout.write(`${prettyJson(response)}\n`);
  return code;
}

function viewOf(flags: RunFlags): View {
  const terminal = { out: process.stdout, err: process.stderr, hasColour: mayColour(process.stderr, process.env) };
  return flags.json ? jsonView(terminal) : new TextView(terminal, flags.schema === undefined);
}

/** Shows all events, and gives what the last response was. */
async function show(events: AsyncGenerator<ResponseEvent, ResponseResource>, view: View): Promise<ResponseResource> {
  try {
    for (;;) {
      const { done, value } = await events.next();
      if (done) return value;
      view.show(value);
    }
  } finally {
    view.end();
  }
}

function prettyJson(response: ResponseResource): string {
  try {
    return JSON.stringify(JSON.parse(text(response)), null, 2);
  } catch (cause) {
    throw new AntiphonError("PROTOCOL", "The model's answer is not JSON.", { cause });
  }
}

/** The exit code of an answer that came, however it ended; a failure is thrown. */
function conclude(response: ResponseResource): number {
  const end = outcome(response);
  if (end?.state === "failed" || end?.state === "truncated") throw end.error;
  if (end?.state === "completed") return refusal(response) === undefined ? exitCodes.ok : exitCodes.general;
  process.stderr.write(`antiphon: stopped short: ${end?.state === "incomplete" ? end.reason : "cancelled"}\n`);
  return exitCodes.general;
}
