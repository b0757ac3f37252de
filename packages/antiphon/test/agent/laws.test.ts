import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { Respond } from "../../src/core/respond.ts";
import { abortLaw, type WatchedModel } from "../../src/testing/abort-law.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { runs } from "../support/runs.ts";
import { all, call, said, thought, weather } from "./support.ts";

/** A model whose stream is seen to close: by its reader leaving, or by its signal. */
function watched(turns: readonly ScriptedTurn[]): { respond: Respond; open: number } {
  const seen = { respond: scripted(turns) as Respond, open: 0 };
  const inner = seen.respond;
  seen.respond = (request, options) => ({
    async *[Symbol.asyncIterator]() {
      let isOpen = true;
      const close = (): void => {
        if (isOpen) seen.open -= 1;
        isOpen = false;
      };
      seen.open += 1;
      options?.signal?.addEventListener("abort", close);
      try {
        yield* inner(request, options);
      } finally {
        close();
      }
    },
  });
  return seen;
}

/** An agent that uses a tool, hands over, and is asked again for its answer: a run of three parts. */
function travelled(): { agent: Agent; models: { open: number }[] } {
  const desk = watched([
    [thought("Hm."), call("c1", "weather", { city: "Oslo" })],
    [said("Wait."), call("t1", "transfer_to_other")],
  ]);
  const other = watched(["nonsense", '{"a":1}']);
  const agent = new Agent({
    model: desk.respond,
    tools: [weather],
    output: z.object({ a: z.number() }),
    handovers: [new Agent({ name: "other", model: other.respond })],
  });
  return { agent, models: [desk, other] };
}

describe("the laws of streams hold for an agent", () => {
  test("whose run has several parts", async () => {
    const events = await all(travelled().agent.respond({ input: "Go." }));
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    expect(events.filter(({ type }) => type === "antiphon:step")).toHaveLength(4);
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
  });

  test("that is left or stopped at any event", async () => {
    const open = (): WatchedModel => {
      const { agent, models } = travelled();
      return { respond: agent.respond, closed: () => models.every((model) => model.open === 0) };
    };
    const { length } = await all(open().respond({ input: "Go." }));
    const positions = Array.from({ length }, (_, index) => index + 1);
    expect(await abortLaw(open, { input: "Go." }, positions)).toBeUndefined();
  });

  test("that is read through views and left at any event", async () => {
    const { length } = await all(travelled().agent.stream("Go."));
    const property = fc.asyncProperty(fc.integer({ min: 1, max: length }), async (position) => {
      const { agent, models } = travelled();
      const stream = agent.stream("Go.");
      let count = 0;
      for await (const _ of stream) if ((count += 1) === position) break;
      expect(models.every((model) => model.open === 0)).toBe(true);
      const events = await all(stream);
      expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
    });
    await fc.assert(property, { numRuns: runs(15, 1_000) });
  });
});
