import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { callId, unansweredCalls } from "../../../src/core/pending.ts";
import { reduce } from "../../../src/core/reduce.ts";
import { assistant, user, type CreateResponse, type InputItem, type ResponseEvent } from "../../../src/model/index.ts";
import { memoryJournal } from "../../../src/agent/loop/journal.ts";
import { run } from "../../../src/agent/loop/run.ts";
import { itemsAfter } from "../../../src/agent/loop/run-items.ts";
import type { Decision, RunOptions } from "../../../src/agent/loop/run-options.ts";
import { scripted, type ScriptedTurn } from "../../../src/testing/scripted.ts";
import { runs } from "../../support/runs.ts";
import { call, counting, expectLawful, isCall, outputsIn, tool } from "./support.ts";

/** What a call of a script does. */
type Kind = "gives" | "throws" | "yields" | "asks" | "replaced" | "refused" | "unknown" | "broken";
interface Planned {
  kind: Kind;
  /** Turns of the event loop that it takes. */
  ticks: number;
}
interface Script {
  steps: { says: boolean; calls: Planned[] }[];
  maxParallel: number;
  hooked: boolean;
  /** After how many events the run is stopped, each time that it is begun. */
  stops: number[];
}

const kinds: readonly Kind[] = ["gives", "throws", "yields", "asks", "replaced", "refused", "unknown", "broken"];
const planned: Arbitrary<Planned> = fc.record({ kind: fc.constantFrom(...kinds), ticks: fc.nat(4) });
const scripts: Arbitrary<Script> = fc.record({
  steps: fc.array(fc.record({ says: fc.boolean(), calls: fc.array(planned, { minLength: 1, maxLength: 5 }) }), { maxLength: 4 }),
  maxParallel: fc.integer({ min: 1, max: 4 }),
  hooked: fc.boolean(),
  stops: fc.array(fc.nat(80), { maxLength: 3 }),
});

const runsAtMostOnce: ReadonlySet<Kind> = new Set(["gives", "throws", "yields", "asks"]);

/** A script as a model and its tools, and what they did. */
class World {
  readonly ran: string[] = [];
  readonly #script: Script;
  readonly #kindOf = new Map<string, Planned>();
  readonly options: RunOptions;

  constructor(script: Script) {
    this.#script = script;
    script.steps.forEach(({ calls }, step) => calls.forEach((plan, index) => this.#kindOf.set(`s${step}c${index}`, plan)));
    const decide = ({ call_id }: { call_id: string }): Decision | undefined => {
      const { kind } = this.kind(call_id);
      if (kind === "replaced") return { action: "replace", output: "canned" };
      return kind === "refused" ? { action: "refuse" } : undefined;
    };
    this.options = {
      tools: [
        tool("work", (_: never, { call_id }) => this.#work(call_id), {
          needsApproval: (_, { call_id }) => this.kind(call_id).kind === "asks",
        }),
      ],
      maxParallel: script.maxParallel,
      beforeTool: decide,
      journal: memoryJournal(),
      ...(script.hooked && { afterTool: (_, output) => [output] }),
    };
  }

  kind = (call_id: string): Planned => this.#kindOf.get(call_id)!;

  /** Looks at the history to find its place: a run may have been stopped and begun again anywhere. */
  readonly model = (): ReturnType<typeof scripted> => scripted(Array.from({ length: 20 }, () => this.#turn));

  readonly #turn: ScriptedTurn = ({ input }) => {
    const items = input as InputItem[];
    if (unansweredCalls(items).length > 0) throw new Error("The model was asked with a call unanswered.");
    const made = new Set(items.filter(isCall).map(({ call_id }) => call_id));
    const next = this.#script.steps.findIndex((_, step) => !made.has(`s${step}c0`));
    const step = this.#script.steps[next];
    if (!step) return "All done.";
    const calls = step.calls.map(({ kind }, index) =>
      call(`s${next}c${index}`, kind === "unknown" ? "nothing" : "work", kind === "broken" ? "{" : {}),
    );
    return step.says ? [assistant("Let me see."), ...calls] : calls;
  };

  #work(call_id: string): unknown {
    this.ran.push(call_id);
    const { kind, ticks } = this.kind(call_id);
    const pause = async (): Promise<void> => {
      for (let tick = 0; tick < ticks; tick += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    if (kind === "yields") return progress(pause);
    return pause().then(() => {
      if (kind === "throws") throw new Error("No.");
      return `did ${call_id}`;
    });
  }
}

async function* progress(pause: () => Promise<void>): AsyncGenerator<string, string> {
  yield "begun";
  await pause();
  yield "nearly";
  return "yielded";
}

/** Plays a run once, stopped after so many events, and judges its stream. */
async function playOnce(world: World, request: CreateResponse, options: RunOptions, stopAfter: number | undefined) {
  const controller = new AbortController();
  const events: ResponseEvent[] = [];
  const all = { ...world.options, ...options, newId: counting(), signal: controller.signal };
  for await (const event of run(world.model(), request, all)) {
    events.push(event);
    if (events.length === stopAfter) controller.abort();
  }
  expectLawful(events);
  return reduce(events);
}

const placeOf = (call_id: string): number => {
  const [, step, index] = /^s(\d+)c(\d+)$/.exec(call_id)!;
  return Number(step) * 100 + Number(index);
};

/** Outputs follow the order of their calls in what one run put out. */
function expectInOrder(output: readonly InputItem[]): void {
  const places = outputsIn(output).map(([id]) => placeOf(id));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
}

async function playToItsEnd(script: Script): Promise<{ world: World; items: InputItem[] }> {
  const world = new World(script);
  const stops = [...script.stops];
  let items: InputItem[] = [user("Go.")];
  for (let turn = 0; turn < 30; turn += 1) {
    const waiting = unansweredCalls(items).map(callId);
    // What a stopped run left open is decided about by the same hook as ever; only what asks needs a word.
    const asks = waiting.filter((id) => world.kind(id).kind === "asks");
    const decisions = turn % 2 === 1 ? Object.fromEntries(asks.map((id) => [id, { action: "continue" as const }])) : {};
    const response = await playOnce(world, { input: items }, { decisions }, stops.shift());
    expectInOrder(response.output);
    items = JSON.parse(JSON.stringify(itemsAfter({ input: items }, response)));
    if (response.status === "completed" && unansweredCalls(items).length === 0) return { world, items };
  }
  throw new Error("The script did not end.");
}

test("whatever tools do and whenever a run is stopped, its streams are lawful, no call runs twice and none is lost", async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const { world, items } = await playToItsEnd(script);
      // A model that was stopped while it wrote its calls never makes the rest of them.
      const made = items.filter(isCall).map(({ call_id }) => call_id);
      const planned = script.steps.flatMap(({ calls }, step) => calls.map((_, index) => `s${step}c${index}`));
      if (script.stops.length === 0) expect(made).toEqual(planned);
      expect(
        outputsIn(items)
          .map(([id]) => id)
          .toSorted(),
      ).toEqual(made.toSorted());
      expect(new Set(world.ran).size).toBe(world.ran.length);
      const due = made.filter((id) => runsAtMostOnce.has(world.kind(id).kind));
      // Likewise a call that was claimed or cut off, and stopped before it began, is answered without having run.
      if (script.stops.length === 0) expect(world.ran.toSorted()).toEqual(due.toSorted());
      else expect(due).toEqual(expect.arrayContaining(world.ran));
    }),
    { numRuns: runs(150, 20_000) },
  );
});

test("a run that is stopped at any of its events ends lawfully, and can be gone on with", async () => {
  const script: Script = {
    steps: [
      {
        says: true,
        calls: [
          { kind: "gives", ticks: 2 },
          { kind: "yields", ticks: 1 },
        ],
      },
      {
        says: false,
        calls: [
          { kind: "throws", ticks: 0 },
          { kind: "gives", ticks: 1 },
          { kind: "replaced", ticks: 0 },
        ],
      },
    ],
    maxParallel: 2,
    hooked: false,
    stops: [],
  };
  for (let stop = 1; stop <= 60; stop += 1) {
    const { items, world } = await playToItsEnd({ ...script, stops: [stop] });
    expect(new Set(world.ran).size).toBe(world.ran.length);
    expect(unansweredCalls(items)).toEqual([]);
  }
});

test("a reader may leave at any event: no call runs twice when the run is begun again", async () => {
  const script: Script = {
    steps: [
      {
        says: false,
        calls: [
          { kind: "gives", ticks: 2 },
          { kind: "yields", ticks: 1 },
          { kind: "gives", ticks: 0 },
        ],
      },
    ],
    maxParallel: 2,
    hooked: true,
    stops: [],
  };
  for (let stop = 1; stop < 40; stop += 1) {
    const world = new World(script);
    let count = 0;
    for await (const _ of run(world.model(), { input: "Go." }, world.options)) if ((count += 1) === stop) break;
    await playOnce(world, { input: "Go." }, {}, undefined);
    expect(new Set(world.ran).size).toBe(world.ran.length);
  }
});
