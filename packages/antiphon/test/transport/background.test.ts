import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatCodec } from "../../src/codecs/chat/index.ts";
import { collect } from "../../src/core/collect.ts";
import { reduce } from "../../src/core/reduce.ts";
import { text } from "../../src/core/views.ts";
import { Writer } from "../../src/core/writer.ts";
import { isTerminal } from "../../src/model/guards.ts";
import type { ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { background, inBackground, type JobSnapshot } from "../../src/transport/background.ts";
import { programs } from "../support/arbitraries.ts";
import { testCtx } from "../support/ctx.ts";
import { runs } from "../support/runs.ts";
import { passAndBreak, pass, serveJob } from "./support/job-server.ts";
import { expectLawful, hasty, jobsAt, story, told } from "./support/jobs.ts";
import { upstreamAt } from "./support/upstream.ts";

const events = story();
const whole = (events.at(-1) as { response: ResponseResource }).response;
const { id } = whole;
const last = events.length - 1;

describe("a job", () => {
  test("is started with what it needs, and given as it stands", async () => {
    const server = await serveJob(events, { made: () => 1 });
    const response = await jobsAt(server.origin).start({ input: "Hello" });
    expect(JSON.parse(server.seen[0]!.body)).toEqual({
      model: "test-model",
      input: "Hello",
      background: true,
      store: true,
      stream: false,
    });
    expect([response.id, response.status]).toEqual([id, "in_progress"]);
  });

  test("is waited for, with longer and longer pauses", async () => {
    const server = await serveJob(events, { made: (asked) => (asked < 4 ? 1 : events.length) });
    expect(await jobsAt(server.origin).wait(id)).toEqual(whole);
    expect(server.seen).toHaveLength(5);
  });

  test("is not waited for longer than the caller allows", async () => {
    const server = await serveJob(events, { made: () => 1 });
    const waiting = jobsAt(server.origin).wait(id, { timeouts: { total: 40 } });
    await expect(waiting).rejects.toMatchObject({ code: "TIMEOUT", message: expect.stringContaining("`timeouts.total`") });
  });

  test("is retrieved with the extras that are asked for", async () => {
    const server = await serveJob(events);
    const include = ["reasoning.encrypted_content" as const];
    expect(await jobsAt(server.origin, { include }).retrieve(id)).toEqual(whole);
    expect(server.asked()).toEqual([`GET /responses/${id}?include%5B%5D=reasoning.encrypted_content`]);
  });

  test("is deleted", async () => {
    const server = await serveJob(events);
    await jobsAt(server.origin).delete(id);
    expect(server.asked()).toEqual([`DELETE /responses/${id}`]);
  });

  test("that nobody knows is not found", async () => {
    const jobs = jobsAt((await serveJob(events)).origin);
    await expect(jobs.retrieve("resp_x")).rejects.toMatchObject({ code: "NOT_FOUND", provider: "test" });
    await expect(jobs.wait("resp_x")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(jobs.cancel("resp_x")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(jobs.retrieve("")).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect((await told(jobs.follow("resp_x"))).error).toMatchObject({ code: "NOT_FOUND" });
  });

  test("needs a server that has jobs", () => {
    expect(() => background({ ...upstreamAt("http://localhost"), codec: chatCodec() })).toThrow(
      "The provider test does not support background jobs.",
    );
    expect(() =>
      background({ name: "here", respond: () => ({ [Symbol.asyncIterator]: () => events.values() as never }) }),
    ).toThrow("The provider here does not support background jobs.");
  });
});

describe("cancelling", () => {
  test("stops a job that is at work", async () => {
    const server = await serveJob(events, { made: () => 4 });
    expect(await jobsAt(server.origin).cancel(id)).toMatchObject({
      id,
      status: "cancelled",
      incomplete_details: { reason: "cancelled" },
    });
  });

  test.each([false, true])("gives a job that has ended as it is, also where the server refuses: %s", async (strictCancel) => {
    const server = await serveJob(events, { strictCancel });
    const jobs = jobsAt(server.origin);
    expect([await jobs.cancel(id), await jobs.cancel(id)]).toEqual([whole, whole]);
  });

  test("is refused where the server refuses for another reason", async () => {
    // At work each time that it is asked after, and ended in between.
    const server = await serveJob(events, { strictCancel: true, made: (asked) => (asked % 2 ? 1 : events.length) });
    await expect(jobsAt(server.origin).cancel(id)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("the stream of a job", () => {
  test("is that of any other response, on one connection where nothing breaks", async () => {
    const server = await serveJob(events);
    expect(await told(jobsAt(server.origin).stream({ input: "Hello" }))).toEqual({ events, notes: [], error: undefined });
    expect(JSON.parse(server.seen[0]!.body)).toMatchObject({ background: true, store: true, stream: true });
    expect(server.seen).toHaveLength(1);
  });

  test("can be read later, from the beginning", async () => {
    const server = await serveJob(events);
    expect((await told(jobsAt(server.origin).follow(id))).events).toEqual(events);
    expect(server.asked()).toEqual([`GET /responses/${id}?stream=true`]);
  });

  test.each([false, true])("is whole although every connection breaks after one event (reset: %s)", async (reset) => {
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) => passAndBreak(response, rest.slice(0, 1), reset),
    });
    const { events: seen, notes, error } = await told(jobsAt(server.origin).stream({ input: "Hello" }));
    expect(error).toBeUndefined();
    expect(seen).toEqual(events);
    expectLawful(seen);
    expect(server.seen).toHaveLength(events.length);
    expect(server.asked()[5]).toBe(`GET /responses/${id}?stream=true&starting_after=4`);
    expect(notes.every(({ type, sequence_number: at }, index) => type === "antiphon:retry" && at === index)).toBe(true);
  });

  test("is whole where it breaks once, at any event", async () => {
    for (let cut = 1; cut < events.length; cut += 1) {
      const server = await serveJob(events, {
        stream: ({ index, response, events: rest }) => passAndBreak(response, index === 0 ? rest.slice(0, cut) : rest),
      });
      expect((await told(jobsAt(server.origin).stream({ input: "Hello" }))).events).toEqual(events);
    }
  });

  test("is whole where a connection falls silent", async () => {
    const server = await serveJob(events, {
      stream: ({ index, response, events: rest }) =>
        index === 0 ? pass(response, rest.slice(0, 5)) : passAndBreak(response, rest),
    });
    const { events: seen, notes } = await told(jobsAt(server.origin, { timeouts: { idle: 40 } }).stream({ input: "Hello" }));
    expect(seen).toEqual(events);
    expect(notes).toMatchObject([{ error: { code: "TIMEOUT" } }]);
  });

  test("drops what a server sends again", async () => {
    const server = await serveJob(events, {
      stream: ({ index, response, events: rest }) => passAndBreak(response, index === 0 ? rest.slice(0, 6) : events),
    });
    expect((await told(jobsAt(server.origin).stream({ input: "Hello" }))).events).toEqual(events);
  });

  test("is taken up again after keep-alives that have no number", async () => {
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) =>
        passAndBreak(response, [{ type: "keepalive" }, ...rest.slice(0, 2), { type: "keepalive" }]),
    });
    const { events: seen } = await told(jobsAt(server.origin).stream({ input: "Hello" }));
    expectLawful(seen);
    const own = ({ type }: ResponseEvent) => type !== "keepalive" && !type.startsWith("antiphon:");
    expect(seen.filter(own).map(({ sequence_number: _, ...event }) => event)).toEqual(
      events.map(({ sequence_number: _, ...event }) => event),
    );
  });

  test("asks for the same extras on every connection", async () => {
    const server = await serveJob(events, { stream: ({ response, events: rest }) => passAndBreak(response, rest.slice(0, 12)) });
    await told(jobsAt(server.origin).stream({ input: "Hello", include: ["reasoning.encrypted_content"] }));
    expect(server.asked()[1]).toMatch(/\?stream=true&starting_after=11&include%5B%5D=reasoning\.encrypted_content$/);
  });

  test("any stream, broken anywhere and left anywhere, is whole in the end", async () => {
    await fc.assert(
      fc.asyncProperty(programs, fc.infiniteStream(fc.nat(6)), fc.infiniteStream(fc.nat(8)), async (program, cuts, stops) => {
        const writer = new Writer(testCtx({ model: "test-model", background: true }));
        for (const step of program) step(writer);
        writer.finish({ status: "completed" });
        const all = writer.drain();
        const server = await serveJob(all, {
          stream: ({ response, events: rest }) => passAndBreak(response, rest.slice(0, 1 + cuts.next().value)),
        });
        const jobs = jobsAt(server.origin);
        let stream = jobs.stream({ input: "Hello" });
        const seen: ResponseEvent[] = [];
        for (;;) {
          const leg = await told(stream, seen.length + stops.next().value);
          expect(leg.error).toBeUndefined();
          seen.push(...leg.events);
          if (seen.length >= all.length) break;
          stream = jobs.follow(JSON.parse(JSON.stringify(stream.snapshot())) as JobSnapshot);
        }
        expect(seen).toEqual(all);
      }),
      { numRuns: runs(15, 3_000) },
    );
  });
});

describe("a snapshot", () => {
  const leaveAt = async (origin: string, number: number) => {
    const stream = jobsAt(origin).stream({ input: "Hello" });
    const { events: seen } = await told(stream, number);
    return { seen, snapshot: JSON.parse(JSON.stringify(stream.snapshot())) as JobSnapshot };
  };

  test("taken at any event, and read by another process, brings exactly the rest", async () => {
    for (let at = 0; at < last; at += 1) {
      const server = await serveJob(events);
      const { seen, snapshot } = await leaveAt(server.origin, at);
      const rest = await told(jobsAt(server.origin).follow(snapshot));
      expect([...seen, ...rest.events]).toEqual(events);
      expect(server.asked()[1]).toBe(`GET /responses/${id}?stream=true&starting_after=${at}`);
    }
  });

  test("holds what there is of the response", async () => {
    const server = await serveJob(events);
    const { seen, snapshot } = await leaveAt(server.origin, 10);
    expect(snapshot).toMatchObject({ version: 1, sequence_number: 10, cursor: 10, response: { id } });
    expect(snapshot.slots.map(({ item }) => item)).toEqual(reduce(seen).output);
  });

  test("is there for those who read in batches too", async () => {
    const server = await serveJob(events, {
      stream: ({ index, response, events: rest }) =>
        index === 0 ? pass(response, rest.slice(0, 7)) : passAndBreak(response, rest),
    });
    const stream = jobsAt(server.origin).stream({ input: "Hello" });
    const batches = stream.batches!();
    expect(stream.snapshot()).toBeUndefined();
    const { value: batch } = await batches.next();
    const snapshot = stream.snapshot()!;
    await batches.return!();
    const rest = await told(jobsAt(server.origin).follow(snapshot));
    expect([...(batch as ResponseEvent[]), ...rest.events]).toEqual(events);
  });

  test("of a response that has ended brings nothing more, and asks nobody", async () => {
    const server = await serveJob(events);
    const { snapshot } = await leaveAt(server.origin, last);
    expect(snapshot.response).toEqual(whole);
    expect(await told(jobsAt(server.origin).follow(snapshot))).toEqual({ events: [], notes: [], error: undefined });
    expect(server.seen).toHaveLength(1);
  });

  test("of another version is refused", async () => {
    const { snapshot } = await leaveAt((await serveJob(events)).origin, 3);
    expect(() => jobsAt("http://localhost").follow({ ...snapshot, version: 2 as 1 })).toThrow("version");
  });

  test("counts by the server's numbers where events had to be put right", async () => {
    // The server leaves out what closes a part, which is said in its place.
    const sparse = events.filter(
      ({ type }) => type !== "response.output_text.done" && type !== "response.reasoning_summary_text.done",
    );
    const renumbered = sparse.map((event, sequence_number) => ({ ...event, sequence_number }));
    for (let at = 0; at < last; at += 1) {
      const server = await serveJob(renumbered);
      const { seen, snapshot } = await leaveAt(server.origin, at);
      const rest = await told(jobsAt(server.origin).follow(snapshot));
      expect([...seen, ...rest.events]).toEqual(events);
    }
  });
});

describe("a model that runs in the background", () => {
  test("answers like any other, and survives broken connections", async () => {
    const server = await serveJob(events, { stream: ({ response, events: rest }) => passAndBreak(response, rest.slice(0, 3)) });
    const respond = inBackground(upstreamAt(server.origin), hasty);
    expect(text(await collect(respond({ input: "Hello" })))).toBe("It is sunny.");
  });

  test("cancels its job when it is stopped", async () => {
    const server = await serveJob(events, {
      stream: ({ response, events: rest }) => pass(response, rest.slice(0, 9)),
      made: () => 9,
    });
    const controller = new AbortController();
    const seen: ResponseEvent[] = [];
    for await (const event of inBackground(upstreamAt(server.origin), hasty)({ input: "Hello" }, { signal: controller.signal })) {
      seen.push(event);
      if (event.sequence_number === 5) controller.abort();
    }
    expectLawful(seen);
    expect(server.cancelled).toBe(true);
    expect(seen.filter(isTerminal)).toMatchObject([{ type: "response.incomplete", response: { status: "cancelled" } }]);
  });
});
