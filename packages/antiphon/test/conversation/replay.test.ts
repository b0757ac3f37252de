import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Order } from "../../src/conversation/lint-order.ts";
import { lintItems } from "../../src/conversation/lint.ts";
import { repairOrder, type Slot } from "../../src/conversation/lint-repair.ts";
import { Log } from "../../src/conversation/log.ts";
import { plan, type Distrust, type Plan } from "../../src/conversation/plan.ts";
import { user } from "../../src/model/construct.ts";
import { inputType } from "../../src/model/guards.ts";
import { runs } from "../support/runs.ts";
import { randomLog, targets } from "./random-log.ts";
import { called, made, origin, outline, said, target, thought } from "./support.ts";

const readAgain = (log: Log): Log => Log.from(JSON.stringify(log));
const sent = ({ lint: _, ...rest }: Plan): Omit<Plan, "lint"> => rest;

const whole = { store: false };

describe("a replay", () => {
  test("of a log that was planned at every step is that of one that was not (property)", () => {
    const care: readonly ((log: Log) => Distrust)[] = [
      () => ({}),
      () => ({ blobs: 3 }),
      (log) => ({ items: log.entries.length }),
    ];
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(...targets), fc.constantFrom(...care), (seed, to, distrust) => {
        randomLog(seed, 20, (log) => {
          const options = { ...whole, distrust: distrust(log) };
          expect(sent(plan(log, to, options))).toEqual(sent(plan(readAgain(log), to, options)));
        });
      }),
      { numRuns: runs(100, 4_000) },
    );
  });

  test("is what linting all of the log makes of it (property)", () => {
    let inOrder = 0;
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 20 }), fc.constantFrom(...targets), (seed, steps, to) => {
        const log = randomLog(seed, steps);
        if (log.compacted) return;
        inOrder += Number(log.inOrder);
        const origins = new Map(log.entries.map(({ item, origin: maker }) => [item, maker]));
        const { input, stripped, lint } = plan(log, to, { ...whole, hoist: false });
        const linted = lintItems(log.items, { ...lint, origin: (item) => origins.get(item) });
        expect({ items: input, changes: stripped }).toEqual(linted);
      }),
      { numRuns: runs(500, 50_000) },
    );
    expect(inOrder).toBeGreaterThan(100);
  });

  test("leaves reasoning out with the item that it led to", () => {
    const log = new Log();
    const silent = { ...said("", "msg_1"), content: [] };
    const thinking = thought("rs_1", { encrypted_content: "blob" });
    log.append([{ item: user("Well?") }, ...made(origin("resp_1", "first"), thinking, silent), { item: user("Go on.") }]);
    expect(log.inOrder).toBe(true);
    const { input, stripped } = plan(log, target("first"), whole);
    expect(outline(input)).toEqual(["user", "user"]);
    expect(stripped.map(({ rule }) => rule)).toEqual(["reasoning-orphaned", "empty-message"]);
  });

  test("looks at nothing twice while the log grows", () => {
    const log = new Log();
    let looks = 0;
    const watched = new Proxy(user("Hello"), {
      ownKeys: (item) => {
        looks += 1;
        return Reflect.ownKeys(item);
      },
    });
    log.append([{ item: watched }]);
    plan(log, target("first"), whole);
    const once = looks;
    expect(once).toBeGreaterThan(0);
    log.append([{ item: said("Good day.", "msg_1"), origin: origin("resp_1", "first") }, { item: user("Go on.") }]);
    expect(plan(log, target("first"), whole).input).toHaveLength(3);
    expect(looks).toBe(once);
    plan(log, target("second"), whole);
    expect(looks).toBe(2 * once);
  });

  test("gives a list of its own each time", () => {
    const log = new Log();
    log.append([{ item: user("Hello") }]);
    plan(log, target("first"), whole).input.push(user("Not in the log."));
    expect(plan(log, target("first"), whole).input).toEqual([user("Hello")]);
  });

  test("forgets what was taken back, also where the same entries follow", () => {
    const log = new Log();
    const last = { item: user("Again?") };
    log.append([{ item: user("One?") }, { item: said("One.", "msg_1"), origin: origin("resp_1", "first") }, last]);
    plan(log, target("first"), whole);
    log.undo(2);
    log.append([{ item: user("Two?") }, { item: called("call_2"), origin: origin("resp_2", "first") }, last]);
    expect(sent(plan(log, target("first"), whole))).toEqual(sent(plan(readAgain(log), target("first"), whole)));
  });
});

describe("a list that is in order", () => {
  test("is one that no rule about neighbours changes (property)", () => {
    let inOrder = 0;
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 20 }), (seed, steps) => {
        const slots = randomLog(seed, steps).entries.map(({ item, origin: maker }, index): Slot => ({
          item,
          type: inputType(item),
          index,
          origin: maker,
        }));
        const order = new Order();
        for (const { item, type, origin: maker } of slots) order.push(item, type, maker);
        if (!order.holds) return;
        inOrder += 1;
        const about = { target: undefined, chained: undefined, bare: new Set<string>() };
        expect(repairOrder(slots, about, (rule) => expect.unreachable(rule))).toEqual(slots);
      }),
      { numRuns: runs(500, 50_000) },
    );
    expect(inOrder).toBeGreaterThan(100);
  });
});
