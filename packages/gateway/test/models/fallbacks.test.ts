import { collect, text, type ResponseEvent } from "antiphon";
import { describe, expect, test } from "vitest";
import { answerOf, at, failing, modelsOf, say, serve, speaker, thrownBy, type Upstream } from "./support.ts";

const pair = (first: Upstream, second: Upstream) => ({ first: at(first), second: at(second) });
const inOrder = { models: { smart: ["first:a", "second:b"] } };

describe("a list of models", () => {
  test("goes on to the next where one fails, without asking it again", async () => {
    const [broken, sound] = [await failing(500, "server_error"), await speaker("Hello.")];
    const models = await modelsOf({ providers: pair(broken, sound), ...inOrder });
    const route = models.resolve("smart");
    expect([route.provider, route.model]).toEqual(["first", "a"]);
    expect(text(await answerOf(route))).toBe("Hello.");
    expect([route.provider, route.model]).toEqual(["second", "b"]);
    expect([broken.asked.length, sound.asked[0]?.body.model]).toEqual([1, "b"]);
  });

  test("says so in the stream", async () => {
    const models = await modelsOf({
      providers: pair(await failing(503, "server_is_overloaded"), await speaker("Hello.")),
      ...inOrder,
    });
    const events: ResponseEvent[] = [];
    for await (const event of models.resolve("smart").respond({ input: "Hi" })) events.push(event);
    expect(events[0]).toMatchObject({ type: "antiphon:fallback", from: 0, to: 1, error: { code: "SERVER_OVERLOADED" } });
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("does not go on where the request is at fault", async () => {
    const [strict, other] = [await failing(400, "context_length_exceeded"), await speaker("Hello.")];
    const models = await modelsOf({ providers: pair(strict, other), ...inOrder });
    expect(await thrownBy(() => answerOf(models.resolve("smart")))).toMatchObject({ code: "CONTEXT_LENGTH_EXCEEDED" });
    expect(other.asked).toEqual([]);
  });

  test("does not go on once something was said", async () => {
    const cutOff = await serve(async (asked) => {
      const answer = await say("One two three four.", asked);
      return "stream" in answer ? { stream: answer.stream.slice(0, answer.stream.indexOf("three")) } : answer;
    });
    const other = await speaker("Hello.");
    const models = await modelsOf({ providers: pair(cutOff, other), ...inOrder });
    const route = models.resolve("smart");
    const response = await collect(route.respond({ input: "Hi", stream: true }));
    expect(response).toMatchObject({ status: "failed", error: { code: "truncated" } });
    expect([route.provider, other.asked.length]).toEqual(["first", 0]);
  });

  test("ends with the last failure where all fail", async () => {
    const models = await modelsOf({
      providers: pair(await failing(500, "server_error"), await failing(403, "forbidden")),
      models: { smart: { use: ["first:a", "second:b"], retries: 0 } },
    });
    expect(await thrownBy(() => answerOf(models.resolve("smart")))).toMatchObject({ code: "PERMISSION", provider: "second" });
  });

  test("may hold other names", async () => {
    const [broken, sound] = [await failing(500, "server_error"), await speaker("Hello.")];
    const models = await modelsOf({
      providers: pair(broken, sound),
      models: { inner: { use: "second:b", params: { top_p: 0.5 } }, smart: ["first:a", "inner"] },
    });
    const route = models.resolve("smart");
    expect(text(await answerOf(route))).toBe("Hello.");
    expect([route.provider, sound.asked[0]?.body.top_p, broken.asked[0]?.body.top_p]).toEqual(["second", 0.5, undefined]);
  });
});

describe("a model that fails", () => {
  test("is passed over after three times in a row, and tried again later", async () => {
    let now = 0;
    let isDown = true;
    const shaky = await serve((asked) => (isDown ? { status: 500, json: {} } : say("Back.", asked)));
    const models = await modelsOf({ providers: pair(shaky, await speaker("Hello.")), ...inOrder }, { clock: () => now });
    for (let call = 0; call < 5; call += 1) expect(text(await answerOf(models.resolve("smart")))).toBe("Hello.");
    expect(shaky.asked).toHaveLength(3);
    isDown = false;
    now += 30_000;
    expect(text(await answerOf(models.resolve("smart")))).toBe("Back.");
  });

  test("is passed over at once where it is at its limits, for as long as it asks", async () => {
    let now = 0;
    const busy = await failing(429, "rate_limit_exceeded", { "retry-after": "20" });
    const models = await modelsOf({ providers: pair(busy, await speaker("Hello.")), ...inOrder }, { clock: () => now });
    const ask = async (): Promise<number> => {
      expect(text(await answerOf(models.resolve("smart")))).toBe("Hello.");
      return busy.asked.length;
    };
    expect([await ask(), await ask()]).toEqual([1, 1]);
    now = 19_999;
    expect(await ask()).toBe(1);
    now = 20_000;
    expect(await ask()).toBe(2);
  });

  test("is passed over where the limit is told inside the stream", async () => {
    const failed = {
      type: "response.failed",
      response: {
        id: "resp_1",
        object: "response",
        created_at: 1,
        status: "failed",
        output: [],
        error: { code: "rate_limit_exceeded", message: "Slow down." },
      },
    };
    const busy = await serve(() => ({ stream: `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n` }));
    const models = await modelsOf({ providers: pair(busy, await speaker("Hello.")), ...inOrder });
    for (let call = 0; call < 3; call += 1)
      expect(text(await collect(models.resolve("smart").respond({ input: "Hi", stream: true })))).toBe("Hello.");
    expect(busy.asked).toHaveLength(1);
  });

  test("is passed over under every name that it has", async () => {
    const busy = await failing(429, "rate_limit_exceeded");
    const models = await modelsOf({
      providers: pair(busy, await speaker("Hello.")),
      models: { smart: ["first:a", "second:b"], other: ["first:a", "second:c"] },
    });
    await answerOf(models.resolve("smart"));
    await answerOf(models.resolve("other"));
    expect(busy.asked).toHaveLength(1);
  });

  test("is asked all the same where all are passed over", async () => {
    const [first, second] = [await failing(429, "rate_limit_exceeded"), await failing(429, "rate_limit_exceeded")];
    const models = await modelsOf({
      providers: pair(first, second),
      models: { smart: { use: ["first:a", "second:b"], retries: 0 } },
    });
    for (let call = 0; call < 2; call += 1)
      expect(await thrownBy(() => answerOf(models.resolve("smart")))).toMatchObject({ code: "RATE_LIMIT" });
    expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
  });

  test("is never passed over where it is the only one", async () => {
    const down = await failing(500, "server_error");
    const models = await modelsOf({ providers: { first: at(down) }, models: { smart: { use: "first:a", retries: 0 } } });
    for (let call = 0; call < 6; call += 1)
      expect(await thrownBy(() => answerOf(models.resolve("smart")))).toMatchObject({ code: "SERVER_ERROR" });
    expect(down.asked).toHaveLength(6);
  });
});

describe("weights", () => {
  const use = [{ model: "first:a", weight: 3 }, { model: "second:b", weight: 1 }, "offline:spare"];

  test("share the requests", async () => {
    const draws = [0, 0.74, 0.75, 0.99];
    let at = 0;
    const [first, second] = [await speaker("One."), await speaker("Two.")];
    // Each request draws for both, the second time from the one that is left.
    const random = (): number => draws[Math.floor(at++ / 2)]!;
    const models = await modelsOf({ providers: pair(first, second), models: { smart: { use } } }, { random });
    const said: string[] = [];
    for (const _ of draws) said.push(text(await answerOf(models.resolve("smart"))));
    expect(said).toEqual(["One.", "One.", "Two.", "Two."]);
  });

  test("leave the others to stand by", async () => {
    const [first, second] = [await failing(500, "server_error"), await failing(500, "server_error")];
    const models = await modelsOf({ providers: pair(first, second), models: { smart: { use } } }, { random: () => 0.9 });
    const route = models.resolve("smart");
    await answerOf(route);
    expect([route.provider, route.model]).toEqual(["offline", "spare"]);
    expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  });

  test("fall to those that work", async () => {
    const [first, second] = [await failing(429, "rate_limit_exceeded"), await speaker("Two.")];
    const models = await modelsOf({ providers: pair(first, second), models: { smart: { use } } }, { random: () => 0 });
    for (let call = 0; call < 4; call += 1) expect(text(await answerOf(models.resolve("smart")))).toBe("Two.");
    expect(first.asked).toHaveLength(1);
  });
});
