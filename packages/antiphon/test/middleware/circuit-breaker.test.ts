import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { ErrorCode } from "../../src/core/error-codes.ts";
import { text } from "../../src/core/views.ts";
import { circuitBreaker } from "../../src/middleware/circuit-breaker.ts";
import { fallback } from "../../src/middleware/fallback.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";
import { clock, held, settled } from "./models.ts";

const failing = (code: ErrorCode = "SERVER_ERROR"): AntiphonError => new AntiphonError(code, "No.");
const setUp = (turns: ScriptedTurn[], halfOpen = 1) => {
  const time = clock();
  const inner = scripted(turns);
  const model = circuitBreaker({ failures: 2, cooldown: 1_000, halfOpen, now: time.now })(inner);
  const ask = (): Promise<string> =>
    collect(model({ input: "Hi" })).then(
      (response) => (response.status === "completed" ? text(response) : response.status),
      (error: AntiphonError) => error.code,
    );
  return { time, inner, model, ask };
};

describe("a breaker", () => {
  test("opens after failures in a row and then fails at once, saying when to come back", async () => {
    const { model, inner, ask } = setUp([failing(), failing("TIMEOUT"), "never"]);
    expect([await ask(), model.state, await ask(), model.state]).toEqual(["SERVER_ERROR", "closed", "TIMEOUT", "open"]);
    const error = await collect(model({ input: "Hi" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "SERVER_OVERLOADED", retryAfter: 1_000, cause: { code: "TIMEOUT" } });
    expect(inner.requests).toHaveLength(2);
  });

  test("is reset by a success, and by an answer that finds fault with the request", async () => {
    for (const between of ["fine", failing("BAD_REQUEST")]) {
      const { model, ask } = setUp([failing(), between, failing(), "fine"]);
      for (let turn = 0; turn < 3; turn += 1) await ask();
      expect(model.state).toBe("closed");
    }
  });

  test("does not hold rate limits and stopped calls against the server", async () => {
    const { model, ask } = setUp([failing("RATE_LIMIT"), failing("ABORTED"), failing("RATE_LIMIT"), "fine"]);
    for (let turn = 0; turn < 3; turn += 1) await ask();
    expect(model.state).toBe("closed");
  });

  test("counts a response that failed after its first event", async () => {
    const model = circuitBreaker({ failures: 1 })(offline());
    await collect(model({ input: "[[truncate]] [[say:One two three]]" }));
    expect(model.state).toBe("open");
  });

  test("tries again after the cooldown, and closes when that works", async () => {
    const { time, model, ask } = setUp([failing(), failing(), "back", "again"]);
    await ask();
    await ask();
    await time.pass(1_000);
    expect(model.state).toBe("half_open");
    expect([await ask(), model.state, await ask()]).toEqual(["back", "closed", "again"]);
  });

  test("opens again at once when the trial fails", async () => {
    const { time, model, ask } = setUp([failing(), failing(), failing(), "never"]);
    await ask();
    await ask();
    await time.pass(1_000);
    expect([await ask(), model.state, await ask()]).toEqual(["SERVER_ERROR", "open", "SERVER_OVERLOADED"]);
  });

  test("lets one trial through at a time", async () => {
    const time = clock();
    const gate = held(scripted([failing(), "back"]));
    const model = circuitBreaker({ failures: 1, cooldown: 10, now: time.now })(gate.respond);
    const first = collect(model({ input: "Hi" })).catch(() => {});
    await settled();
    gate.release();
    await first;
    await time.pass(10);
    const trial = collect(model({ input: "Hi" }));
    await expect(collect(model({ input: "Hi" }))).rejects.toMatchObject({ code: "SERVER_OVERLOADED" });
    gate.release();
    expect(text(await trial)).toBe("back");
    expect(model.state).toBe("closed");
  });

  test("gives a trial's place back when its reader leaves", async () => {
    const { time, model, ask } = setUp([failing(), failing(), "one", "two"]);
    await ask();
    await ask();
    await time.pass(1_000);
    const batches = model({ input: "Hi" }).batches!();
    const first = batches.next();
    await batches.return!();
    await first;
    expect([await ask(), model.state]).toEqual(["two", "closed"]);
  });

  test("belongs to one model, and sends a fallback to the other", async () => {
    const breaker = circuitBreaker({ failures: 1 });
    const a = breaker(scripted([failing()]));
    const b = breaker(scripted(["B", "B again"]));
    const respond = fallback([b])(a);
    expect(text(await collect(respond({ input: "Hi" })))).toBe("B");
    expect([a.state, b.state]).toEqual(["open", "closed"]);
    expect(text(await collect(respond({ input: "Hi" })))).toBe("B again");
  });
});
