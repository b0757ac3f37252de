import { memoryJournal } from "../../src/agent/loop/journal.ts";
import { sendable } from "../../src/agent/loop/run-items.ts";
import { run } from "../../src/agent/loop/run.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { interrupt } from "../../src/core/interrupt.ts";
import { Reducer } from "../../src/core/reduce.ts";
import type { Middleware, Respond } from "../../src/core/respond.ts";
import { errorOf } from "../../src/core/classify-error.ts";
import type { Compactor } from "../../src/conversation/compactor.ts";
import { converse } from "../../src/conversation/converse.ts";
import { Log } from "../../src/conversation/log.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import { openLog, saveLog } from "../../src/conversation/persist.ts";
import { user } from "../../src/model/construct.ts";
import { inputType, isTerminal } from "../../src/model/guards.ts";
import type { InputItem, ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { planLaw } from "../../src/testing/conversation-laws.ts";
import { randomFrom, stateful, type Random, type Stateful } from "../../src/testing/stateful/index.ts";
import { tool } from "../../src/tools/define.ts";

/** The error of a fault that no conversation can answer: who meets it goes on with the next turn. */
const outage = "The weather took the line.";

/** Fails now and then: before the answer, in its middle, or by stopping short. */
const faulty =
  (random: Random): Middleware =>
  (next) =>
  (request, call) => ({
    async *[Symbol.asyncIterator]() {
      const chance = random();
      if (chance < 0.04) throw new AntiphonError("SERVER_ERROR", outage, { status: 500 });
      const end = chance < 0.14 ? Math.floor(random() * 12) : Infinity;
      const fold = new Reducer();
      let count = 0;
      for await (const event of next(request, call)) {
        count += 1;
        if (count > end && fold.base && !isTerminal(event)) {
          yield* cut(fold, request, event, chance < 0.09);
          return;
        }
        fold.push(event);
        yield event;
      }
    },
  });

function cut(fold: Reducer, request: object, at: ResponseEvent, short: boolean): ResponseEvent[] {
  const events = interrupt(fold, request, new AntiphonError(short ? "ABORTED" : "TRUNCATED", outage));
  return events.map((event, index): ResponseEvent => {
    const numbered = { ...event, sequence_number: at.sequence_number + index };
    if (!short || !isTerminal(numbered)) return numbered;
    return { ...numbered, response: { ...numbered.response, incomplete_details: { reason: "max_output_tokens" } } };
  });
}

const textOf = (item: InputItem): string => JSON.stringify(Reflect.get(item, "content"));
const marksIn = (words: string): string[] => words.match(/«\d+»/g) ?? [];
const callsIn = (items: readonly InputItem[]): unknown[] =>
  items.flatMap((item) => (inputType(item) === "function_call" ? [Reflect.get(item, "call_id")] : []));
const isQuestion = (item: InputItem): boolean => inputType(item) === "message" && Reflect.get(item, "role") === "user";

/** Lets a list of the questions so far stand in for all turns but the last. */
const compactor: Compactor = async (log, { force }) => {
  const last = log.entries.findLastIndex(({ item }) => isQuestion(item));
  let to = last;
  while (to > 0 && isQuestion(log.entries[to - 1]!.item)) to -= 1;
  const before = log.compacted?.to ?? 0;
  if (to <= before || (!force && log.entries.length - before < 120)) return undefined;
  const since = log.entries.slice(before, to).flatMap(({ item }) => (isQuestion(item) ? marksIn(textOf(item)) : []));
  return { to, summary: `${log.compacted?.summary ?? "Questions so far:"} ${since.join(" ")}` };
};

/** What a life of a conversation found wrong, if anything. What happened in it is counted in `seen`. */
export async function liveThrough(seed: number, turns: number, seen: Map<string, number>): Promise<string | undefined> {
  const life = new Life(seed, seen);
  for (let turn = 0; turn < turns; turn += 1) {
    const finding = await life.turn(turn);
    if (finding) return `seed ${seed}, turn ${turn}: ${finding}`;
  }
  const finding = await life.end();
  return finding && `seed ${seed}, at the end: ${finding}`;
}

class Life {
  readonly #random: Random;
  readonly #servers: Stateful[];
  readonly #sessions = memorySessions();
  readonly #journal = memoryJournal();
  readonly #ran = new Map<string, number>();
  readonly #tools;
  #now = 1_767_225_600;
  #log = new Log("life-0");
  #forks = 0;
  /** The marks of the questions in this branch. */
  #said: string[] = [];
  #server: Stateful;
  #held: Respond | undefined;
  #store: boolean | null = null;

  readonly #seen: Map<string, number>;

  constructor(seed: number, seen: Map<string, number>) {
    this.#seen = seen;
    this.#random = randomFrom(seed);
    const now = (): number => this.#now;
    this.#servers = ["alpha", "beta", "gamma"].map((name, index) =>
      stateful({
        name,
        seed: seed + index,
        now,
        failsInStream: this.#random() < 0.5,
        ...(this.#random() < 0.4 && { contextWindow: 900 }),
        ...(this.#random() < 0.4 && { retention: 5_000 }),
        reasons: this.#random() < 0.9,
      }),
    );
    this.#server = this.#servers[0]!;
    this.#tools = ["note", "count"].map((name) =>
      tool({
        name,
        description: "Counts.",
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        run: (_: unknown, { call_id }) => {
          this.#ran.set(call_id, (this.#ran.get(call_id) ?? 0) + 1);
          return "Done.";
        },
      }),
    );
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  /** Something happens, somebody asks, and all is looked at. */
  async turn(count: number): Promise<string | undefined> {
    await this.#happen();
    const question = this.#chance(0.85) || this.#log.entries.length === 0 ? user(`What of «${count}»?`) : undefined;
    if (question) this.#said.push(`«${count}»`);
    return this.#ask(question ? [question] : [], true);
  }

  /** After all that, a last question is answered at every server. */
  async end(): Promise<string | undefined> {
    for (const [index, server] of this.#servers.entries()) {
      this.#move(server);
      const mark = `«${9000 + index}»`;
      this.#said.push(mark);
      const finding = await this.#ask([user(`What of ${mark}?`)], false);
      if (finding) return finding;
    }
    const kept = await this.#sessions.load(this.#log.id);
    return JSON.stringify(kept?.records) === JSON.stringify(this.#log.records) ? undefined : "the store has another log.";
  }

  async #happen(): Promise<void> {
    this.#now += Math.floor(this.#random() * 400);
    if (this.#chance(0.08)) this.#server.forget();
    if (this.#chance(0.05)) this.#server.rekey();
    if (this.#chance(0.1)) this.#move(this.#servers[Math.floor(this.#random() * this.#servers.length)]!);
    if (this.#chance(0.1)) this.#store = this.#chance(0.5) ? false : null;
    if (this.#chance(0.08)) await this.#restart();
    if (this.#chance(0.04)) await this.#fork();
    if (this.#chance(0.03)) this.#log.restore();
  }

  #move(server: Stateful): void {
    this.#server = server;
    this.#held = undefined;
  }

  /** Another process goes on with what was kept. */
  async #restart(): Promise<void> {
    await saveLog(this.#log, this.#sessions);
    this.#log = await openLog(this.#sessions, this.#log.id);
    this.#held = undefined;
  }

  async #fork(): Promise<void> {
    const at = Math.floor(this.#random() * (this.#log.entries.length + 1));
    const after = this.#log.items.slice(at).filter(isQuestion).length;
    this.#log = this.#log.fork(at, `life-${(this.#forks += 1)}`);
    this.#said = this.#said.slice(0, this.#said.length - after);
    this.#held = undefined;
    await saveLog(this.#log, this.#sessions);
  }

  /** The conversation as a model; its memory of errors lives as long as nothing moves. */
  #respond(faults: boolean): Respond {
    const { target, respond } = this.#server;
    const line = faults ? faulty(this.#random)(respond) : respond;
    const options = { log: this.#log, target, sessions: this.#sessions, compact: compactor, now: () => this.#now };
    return (this.#held ??= converse(options)((request, call) => line(request, call)));
  }

  async #ask(question: InputItem[], faults: boolean): Promise<string | undefined> {
    if (!faults) this.#held = undefined;
    const controller = new AbortController();
    const request = { input: [...this.#past(), ...question], ...(this.#store !== null && { store: this.#store }) };
    const options = {
      tools: this.#tools,
      journal: this.#journal,
      signal: controller.signal,
      newId: (prefix: string) => `${prefix}_x`,
    };
    const stop = faults && this.#chance(0.2) ? 1 + Math.floor(this.#random() * 40) : Infinity;
    const leave = this.#chance(0.4);
    let response: ResponseResource | undefined;
    let count = 0;
    try {
      for await (const event of run(this.#respond(faults), request, options)) {
        count += 1;
        this.#note(event);
        if (isTerminal(event)) response = event.response;
        else if (count === stop && leave) break;
        else if (count === stop) controller.abort();
      }
    } catch (thrown) {
      const isOurs = thrown instanceof AntiphonError && (thrown.message === outage || controller.signal.aborted);
      return isOurs ? this.#check(false) : `threw ${String(thrown)}`;
    }
    if (response) this.#log.answer(response.output.map(sendable));
    const failure = response?.status === "failed" ? errorOf(response) : undefined;
    if (failure && failure.message !== outage) return `failed with ${failure.code}: ${failure.message}`;
    if (!faults && response?.status !== "completed") return `the last answer is ${response?.status ?? "none"}.`;
    return this.#check(response?.status === "completed");
  }

  /** The items of the log as a caller sends them: the same objects, copies, or copies without ids. */
  #past(): InputItem[] {
    const { items } = this.#log;
    if (this.#chance(0.5)) return items;
    const isBare = this.#chance(0.3);
    return items.map((item) => JSON.parse(JSON.stringify(item, (key, value) => (isBare && key === "id" ? undefined : value))));
  }

  #note(event: ResponseEvent): void {
    const what = event.type === "antiphon:recovered" ? String(event["recovery"]) : event.type;
    this.#seen.set(what, (this.#seen.get(what) ?? 0) + 1);
  }

  #check(answered: boolean): string | undefined {
    for (const [call_id, times] of this.#ran) if (times > 1) return `${call_id} ran ${times} times.`;
    const marks = this.#said.join();
    const logged = this.#log.items.filter(isQuestion).flatMap((item) => marksIn(textOf(item)));
    if (logged.join() !== marks) return `the log has ${logged.join()} and not ${marks}.`;
    const unlawful = planLaw(this.#log, this.#server.target);
    if (unlawful) return unlawful;
    return answered ? this.#overhear(marks) : undefined;
  }

  /** Whether the model was told what the log has: every question and every call, once and in order. */
  #overhear(marks: string): string | undefined {
    const { context, requests } = this.#server;
    const summary = marksIn(requests.at(-1)?.instructions ?? "");
    const heard = [...summary, ...context.filter(isQuestion).flatMap((item) => marksIn(textOf(item)))];
    if (heard.join() !== marks) return `the model heard ${heard.join()} and not ${marks}.`;
    const answer = this.#log.entries.at(-1)?.origin?.response_id;
    const before = this.#log.entries.filter(({ origin }) => !origin || origin.response_id !== answer);
    const calls = callsIn(before.slice(this.#log.compacted?.to ?? 0).map(({ item }) => item)).join();
    return callsIn(context).join() === calls
      ? undefined
      : `the model heard of the calls ${callsIn(context).join()} and not ${calls}.`;
  }
}
