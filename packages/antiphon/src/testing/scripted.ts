import { checkLifecycle } from "../core/lifecycle.ts";
import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { expand } from "../core/expand.ts";
import { interrupt } from "../core/interrupt.ts";
import { checkArgument, checkOptions, func, yesOrNo, type Rules } from "../core/options.ts";
import { Reducer } from "../core/reduce.ts";
import { fromBatches, type Respond } from "../core/respond.ts";
import type { StopSignal } from "../core/stop.ts";
import { Writer, type WriterContext } from "../core/writer.ts";
import { isTerminal } from "../model/guards.ts";
import type { CreateResponse, InputItem, Item, MessageContent, ResponseEvent, ResponseResource } from "../model/index.ts";
import { inputTokens, outputTokens, pieces, usageOf } from "./offline/tokens.ts";

/**
 * What the model gives back: text, items (ids, statuses and annotations may be left out), a whole response, the events of a
 * stream, or an error to throw.
 */
export type ScriptedAnswer = string | readonly InputItem[] | ResponseResource | readonly ResponseEvent[] | AntiphonError;

/** An answer, or a function that makes one of the request. */
export type ScriptedTurn = ScriptedAnswer | ((request: CreateResponse, turn: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Where a scripted model takes its ids and times from; both count, so that every run is the same. */
export type ScriptedOptions = Partial<Omit<WriterContext, "request">>;

const scriptedRules: Rules<ScriptedOptions> = { newId: func, now: func, runs: yesOrNo };

/** A scripted model, and the requests that it was sent. */
export type Scripted = Respond & { readonly requests: readonly CreateResponse[] };

/**
 * Creates a model that follows a script: each call uses the next turn. A call beyond the last turn fails.
 *
 * @example
 * const respond = scripted(["Hello", new AntiphonError("RATE_LIMIT", "Slow down."), (request) => `I am ${request.model}`]);
 */
export function scripted(turns: readonly ScriptedTurn[], options: ScriptedOptions = {}): Scripted {
  checkArgument("scripted", "a list of answers", Array.isArray(turns), turns);
  checkOptions("scripted", options, scriptedRules);
  const requests: CreateResponse[] = [];
  const { newId = countingIds(), now = () => 1_767_225_600 } = options;
  const respond: Respond = (asked, call) => {
    // A copy: the caller may go on to change its list of items.
    const request = structuredClone(asked);
    const turn = requests.push(request) - 1;
    return fromBatches(() => play(turns, turn, { request, newId, now }, call?.signal));
  };
  return Object.assign(respond, { requests });
}

function countingIds(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}_${(count += 1)}`;
}

async function* play(
  turns: readonly ScriptedTurn[],
  turn: number,
  ctx: WriterContext,
  signal: StopSignal | undefined,
): AsyncGenerator<ResponseEvent[]> {
  const stop = (): AntiphonError => toAntiphonError(signal?.reason, "ABORTED");
  if (signal?.aborted) throw stop();
  const written = turns[turn];
  if (written === undefined)
    throw new AntiphonError("NOT_FOUND", `The script has ${turns.length} turns, but this is call ${turn + 1}.`);
  const answer = typeof written === "function" ? await written(ctx.request, turn) : written;
  const fold = new Reducer();
  for (const event of eventsOf(answer, ctx)) {
    if (signal?.aborted) {
      yield numbered(interrupt(fold, ctx.request, stop()), event.sequence_number);
      return;
    }
    fold.push(event);
    yield [event];
  }
}

/** The lawful events of an answer. */
function eventsOf(answer: ScriptedAnswer, ctx: WriterContext): ResponseEvent[] {
  if (answer instanceof AntiphonError) throw answer;
  if (typeof answer === "string") return write(ctx, (writer) => pieces(answer).forEach((piece) => writer.text(piece)));
  if ("object" in answer) return checked(expand(answer), ctx);
  if (areEvents(answer)) return checked(answer, ctx);
  return write(ctx, (writer) => answer.forEach((item) => writer.item(asOutput(item, ctx))));
}

const areEvents = (list: readonly (InputItem | ResponseEvent)[]): list is readonly ResponseEvent[] =>
  list.some((entry) => typeof entry.type === "string" && entry.type.startsWith("response."));

function write(ctx: WriterContext, tell: (writer: Writer) => void): ResponseEvent[] {
  const writer = new Writer(ctx);
  writer.start();
  tell(writer);
  const { input } = ctx.request;
  const items: InputItem[] = typeof input === "string" ? [{ role: "user", content: input }] : (input ?? []);
  const thoughts = outputTokens(writer.items.filter((item) => item.type === "reasoning"));
  writer.response({ usage: usageOf(inputTokens(ctx.request, items), outputTokens(writer.items), thoughts) });
  writer.finish({ status: "completed" });
  return writer.drain();
}

/** An item as a response holds it: with an id, a status and its content as a list. */
function asOutput(item: InputItem, ctx: WriterContext): Item {
  const type = item.type ?? "message";
  const content = "content" in item ? { content: contentOf(item.content) } : {};
  const given = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null && value !== undefined));
  const filled = { status: "completed", ...given, ...content, type, id: given["id"] ?? ctx.newId(prefixes[type] ?? "item") };
  // The script's author vouches for the fields that a type demands; `Item` cannot be checked field by field here.
  return filled as Item;
}

const prefixes: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  reasoning: "rs",
  custom_tool_call: "ctc",
};

function contentOf(content: unknown): MessageContent[] {
  if (typeof content === "string") return [{ type: "output_text", text: content, annotations: [], logprobs: [] }];
  if (!Array.isArray(content)) return [];
  return content.map((part) => (part.type === "output_text" ? { annotations: [], ...part } : part));
}

/** The same events, numbered anew; a list without a terminal event ends as a broken stream does. */
function checked(events: readonly ResponseEvent[], ctx: WriterContext): ResponseEvent[] {
  const copy = numbered(structuredClone([...events]), 0);
  if (!copy.some(isTerminal)) {
    const fold = new Reducer();
    copy.forEach((event) => fold.push(event));
    const broken = new AntiphonError("TRUNCATED", "The script ends here, before a terminal event.");
    copy.push(...numbered(interrupt(fold, ctx.request, broken), copy.length));
  }
  const violation = checkLifecycle(copy);
  if (violation)
    throw new AntiphonError(
      "PROTOCOL",
      `Event ${violation.index} of the script violates ${violation.rule}: ${violation.message}`,
    );
  return copy;
}

function numbered(events: ResponseEvent[], from: number): ResponseEvent[] {
  events.forEach((event, index) => (event.sequence_number = from + index));
  return events;
}
