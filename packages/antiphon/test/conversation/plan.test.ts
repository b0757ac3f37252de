import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { developer, functionCallOutput, system, user } from "../../src/model/construct.ts";
import { Log } from "../../src/conversation/log.ts";
import { plan, type Distrust } from "../../src/conversation/plan.ts";
import { planLaw } from "../../src/testing/conversation-laws.ts";
import { runs } from "../support/runs.ts";
import { randomLog, targets } from "./random-log.ts";
import { called, made, origin, outline, said, target, thought } from "./support.ts";

const summary = [{ type: "summary_text" as const, text: "Hm." }];

function conversation(...more: Parameters<Log["append"]>[0][]): Log {
  const log = new Log();
  log.append([{ item: user("One") }]);
  log.append(made(origin("resp_1"), thought("rs_1"), said("Two")));
  for (const entries of more) log.append(entries);
  return log;
}

const three = [{ item: user("Three") }];

describe("plan", () => {
  test("sends only what came after the provider's last response", () => {
    const { previous_response_id, input, reason, store, include } = plan(conversation(three), target());
    expect(previous_response_id).toBe("resp_1");
    expect(input).toEqual([user("Three")]);
    expect({ reason, store, include }).toEqual({ reason: "chained", store: true, include: [] });
  });

  test("sends the outputs of calls to the response that made them", () => {
    const log = new Log();
    log.append([{ item: user("Time?") }]);
    log.append(made(origin("resp_1"), thought("rs_1"), called("call_1"), called("call_2")));
    log.append([{ item: functionCallOutput("call_1", "12:00") }, { item: functionCallOutput("call_2", "13:00") }]);
    const { previous_response_id, input } = plan(log, target());
    expect(previous_response_id).toBe("resp_1");
    expect(outline(input)).toEqual(["function_call_output", "function_call_output"]);
  });

  test("answers a call of the chain that nobody answered", () => {
    const log = new Log();
    log.append(made(origin("resp_1"), called("call_1"), called("call_2")));
    log.append([{ item: functionCallOutput("call_1", "12:00") }]);
    const { previous_response_id, input, stripped } = plan(log, target());
    expect(previous_response_id).toBe("resp_1");
    expect(input).toMatchObject([{ call_id: "call_1" }, { call_id: "call_2", status: "incomplete" }]);
    expect(stripped).toMatchObject([{ rule: "call-unanswered" }]);
  });

  test("sends everything where another provider spoke, or the same one elsewhere", () => {
    for (const of of [target("second"), target("first", { endpoint: "https://other.example/v1" })]) {
      const { previous_response_id, input, reason } = plan(conversation(three), of);
      expect(previous_response_id).toBeUndefined();
      expect(reason).toBe("nothing-stored");
      expect(outline(input)).toEqual(["user", "assistant", "user"]);
    }
  });

  test("goes back to a provider's own last response and sends what others said since", () => {
    const log = conversation(
      three,
      made(origin("msg_9", "second", { stored: false }), thought("rs_9", { summary }), said("Four")),
      [{ item: user("Five") }],
    );
    const { previous_response_id, input } = plan(log, target());
    expect(previous_response_id).toBe("resp_1");
    // A server that encrypts reasoning cannot read another's summary.
    expect(outline(input)).toEqual(["user", "assistant", "user"]);
  });

  test("chains to a response of another model at the same place", () => {
    const log = conversation(three);
    expect(plan(log, target("first", { model: "larger" })).previous_response_id).toBe("resp_1");
  });

  test("sends everything, and asks for blobs, where nothing is to be stored", () => {
    const log = new Log();
    log.append([{ item: user("One") }]);
    log.append(made(origin("resp_1", "first", { stored: false }), thought("rs_1", { encrypted_content: "blob" }), said("Two")));
    log.append(three);
    const { input, include, reason, store } = plan(log, target(), { store: false });
    expect({ include, reason, store }).toEqual({ include: ["reasoning.encrypted_content"], reason: "store-off", store: false });
    expect(input[1]).toEqual({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "blob" });
    expect(plan(log, target("first", { encrypts: false }), { store: false }).include).toEqual([]);
  });

  test("asks a provider that keeps nothing for blobs alone", () => {
    const { include, reason, store } = plan(conversation(three), target("first", { stores: false }));
    expect({ include, reason, store }).toEqual({ include: ["reasoning.encrypted_content"], reason: "stateless", store: false });
  });

  test("passes over responses that were cut off or not kept", () => {
    const cut = made(origin("resp_2", "first", { stored: false }), said("Fo"));
    const { previous_response_id, input } = plan(conversation(three, cut, [{ item: user("Five") }]), target());
    expect(previous_response_id).toBe("resp_1");
    expect(outline(input)).toEqual(["user", "assistant", "user"]);
  });

  test("sends everything when a call is answered a second time after the chain went on", () => {
    const log = new Log();
    log.append([{ item: user("One") }]);
    log.append(made(origin("resp_1"), called("call_1")));
    log.append([{ item: user("Never mind") }]);
    log.append(made(origin("resp_2"), said("Fine")));
    log.append([{ item: functionCallOutput("call_1", "12:00") }]);
    const { input, reason } = plan(log, target());
    expect(reason).toBe("late-output");
    expect(input.filter(({ type }) => type === "function_call_output")).toEqual([functionCallOutput("call_1", "12:00")]);
  });

  test("does not chain to what has expired", () => {
    const log = new Log();
    log.append([{ item: user("One") }, ...made(origin("resp_1", "first", { created_at: 1000 }), said("Two"))]);
    const shortLived = target("first", { retention: 60 });
    expect(plan(log, shortLived, { now: 1059 }).reason).toBe("chained");
    expect(plan(log, shortLived, { now: 1060 }).reason).toBe("expired");
    expect(plan(log, target(), { now: 9_999_999 }).reason).toBe("chained");
  });

  test("does not chain to responses that a provider has lost, and trusts none of their ids", () => {
    const log = conversation(three);
    const { reason, input } = plan(log, target(), { distrust: { chains: log.entries.length } });
    expect(reason).toBe("chain-lost");
    expect(outline(input)).toEqual(["user", "assistant", "user"]);
  });

  test("refers to reasoning that the provider keeps by its id, where the chain itself cannot be used", () => {
    const log = conversation(three);
    log.compact({ to: 0, summary: "Nothing yet." });
    expect(plan(log, target()).input[1]).toEqual({ type: "reasoning", id: "rs_1", summary: [] });
  });
});

describe("instructions", () => {
  test("come from the head of the log, and again with every chained request", () => {
    const log = new Log();
    log.append([{ item: system("Be brief.") }, { item: developer("Speak French.") }, { item: user("One") }]);
    const first = plan(log, target(), { instructions: "You are a clerk." });
    expect(first.instructions).toBe("You are a clerk.\n\nBe brief.\n\nSpeak French.");
    expect(outline(first.input)).toEqual(["user"]);
    log.append(made(origin("resp_1"), said("Two")));
    log.append(three);
    expect(plan(log, target()).instructions).toBe("Be brief.\n\nSpeak French.");
  });

  test("leave the head where it is, if that is wanted, and a message further down always", () => {
    const log = new Log();
    log.append([{ item: system("Be brief.") }, { item: user("One") }, { item: system("Now in French.") }]);
    const { instructions, input } = plan(log, target(), { hoist: false });
    expect(instructions).toBeUndefined();
    expect(outline(input)).toEqual(["system", "user", "system"]);
    expect(outline(plan(log, target()).input)).toEqual(["user", "system"]);
  });
});

describe("compaction", () => {
  test("breaks the chain, puts the summary into the instructions and sends the rest again", () => {
    const log = conversation(three);
    log.compact({ to: 3, summary: "One and two were said." });
    const { previous_response_id, input, instructions, reason } = plan(log, target(), { instructions: "Be brief." });
    expect(previous_response_id).toBeUndefined();
    expect(reason).toBe("compacted");
    expect(instructions).toBe("Be brief.\n\nOne and two were said.");
    expect(input).toEqual([user("Three")]);
  });

  test("lets a new chain begin, with the summary in every request", () => {
    const log = conversation(three);
    log.compact({ to: 3, summary: "One and two." });
    log.append(made(origin("resp_2"), said("Four")));
    log.append([{ item: user("Five") }]);
    const { previous_response_id, input, instructions } = plan(log, target());
    expect({ previous_response_id, input, instructions }).toEqual({
      previous_response_id: "resp_2",
      input: [user("Five")],
      instructions: "One and two.",
    });
  });

  test("never takes the head's instructions with it", () => {
    const log = new Log();
    log.append([{ item: system("Be brief.") }, { item: user("One") }, ...made(origin("resp_1"), said("Two")), ...three]);
    log.compact({ to: 3, summary: "One, two." });
    expect(plan(log, target()).instructions).toBe("Be brief.\n\nOne, two.");
    expect(outline(plan(log, target(), { hoist: false }).input)).toEqual(["system", "user"]);
  });

  test("of a provider's own making goes to the head of the input, and only to that provider", () => {
    const log = conversation(three);
    const { provider, endpoint, model } = target();
    const items = [{ type: "compaction" as const, encrypted_content: "past" }];
    log.compact({ to: 3, items, origin: { provider, endpoint, model } });
    expect(plan(log, target()).input).toEqual([...items, user("Three")]);
    expect(outline(plan(log, target("second")).input)).toEqual(["user", "assistant", "user"]);
  });
});

describe("cost", () => {
  test("a chained turn looks at what is new, not at what is old", () => {
    const log = new Log();
    const entries = Array.from({ length: 1000 }, (_, at) => [
      { item: user(`Question ${at}`) },
      ...made(origin(`resp_${at}`), said(`Answer ${at}`)),
    ]).flat();
    log.append(entries);
    log.append(three);
    let looks = 0;
    const watched = new Proxy(log.entries, {
      get: (list, key, self) => {
        if (typeof key === "string" && /^\d+$/.test(key)) looks += 1;
        return Reflect.get(list, key, self);
      },
    });
    const view = Object.create(log, { entries: { value: watched }, barrier: { value: 0 }, compacted: { value: undefined } });
    expect(plan(view, target()).input).toEqual([user("Three")]);
    expect(looks).toBeLessThan(20);
  });
});

describe("the plan law", () => {
  const distrusts: ((count: number) => Distrust)[] = [
    () => ({}),
    (count) => ({ chains: count }),
    (count) => ({ chains: count >> 1, blobs: count }),
    (count) => ({ chains: count, blobs: count, items: count }),
    (count) => ({ items: count >> 1 }),
  ];

  test("holds for every log and every target (property)", () => {
    const seed = Number(process.env["ANTIPHON_SEED"] ?? Number.NaN);
    const seeds = Number.isNaN(seed) ? fc.integer() : fc.constant(seed);
    fc.assert(
      fc.property(seeds, fc.constantFrom(...distrusts), fc.constantFrom(undefined, true, false), (one, distrust, store) => {
        const log = randomLog(one);
        for (const to of targets) {
          const options = { distrust: distrust(log.entries.length), ...(store !== undefined && { store }) };
          expect(planLaw(log, to, options)).toBeUndefined();
        }
      }),
      { numRuns: runs(300, 50_000) },
    );
  });
});
