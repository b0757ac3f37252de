import { AntiphonError } from "antiphon";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { logs, type LogOptions, type Logs } from "../../src/telemetry/logs/logs.ts";
import type { RunFacts } from "../../src/telemetry/telemetry.ts";
import { bundle, type Program } from "../support/bundle.ts";
import { requestFacts, runFacts } from "./facts.ts";

const now = (): Date => new Date("2026-01-02T03:04:05.678Z");

/** A log, and the lines that it wrote. */
async function written(tell: (log: Logs) => void, options: LogOptions = {}): Promise<string[]> {
  const to = new PassThrough();
  const log = logs({ to, now, ...options });
  tell(log);
  await log.close();
  const text = String(to.read() ?? "");
  return text === "" ? [] : text.trimEnd().split("\n");
}

const asJson = async (tell: (log: Logs) => void, options?: LogOptions): Promise<Record<string, unknown>[]> =>
  (await written(tell, options)).map((line) => JSON.parse(line) as Record<string, unknown>);

describe("the lines", () => {
  test("tell of a request, and who asked", async () => {
    expect(await asJson((log) => log.request(requestFacts()))).toEqual([
      {
        time: "2026-01-02T03:04:05.678Z",
        level: "info",
        message: "request",
        method: "POST",
        route: "/v1/responses",
        status: 200,
        ms: 12.3,
        owner: "ada",
        request_id: "req_1",
      },
    ]);
  });

  test("tell of a response: what it took, and how it ended", async () => {
    const [line] = await asJson((log) => log.run(runFacts({ status: "failed", error: "TIMEOUT" })));
    expect(line).toEqual({
      time: "2026-01-02T03:04:05.678Z",
      level: "error",
      message: "response",
      id: "resp_1",
      model: "fast",
      provider: "openai",
      upstream_model: "gpt-5-mini",
      status: "failed",
      error: "TIMEOUT",
      ms: 2000,
      first_ms: 40,
      input_tokens: 100,
      cached_tokens: 60,
      output_tokens: 20,
      reasoning_tokens: 5,
      cost: 0.25,
      streamed: true,
      background: false,
      owner: "ada",
      request_id: "req_1",
    });
  });

  test("leave out what is below the level, and health checks that go well", async () => {
    const tell = (log: Logs): void => {
      log.request(requestFacts({ route: "/healthz" }));
      log.request(requestFacts({ status: 404 }));
      log.request(requestFacts({ route: "/readyz", status: 503 }));
      log.log({ level: "warn", message: "run interrupted" });
      log.log({ level: "debug", message: "detail" });
    };
    const told = async (level: LogOptions["level"]): Promise<unknown[]> =>
      (await asJson(tell, { level })).map((line) => line["level"]);
    expect(await told("debug")).toEqual(["debug", "info", "error", "warn", "debug"]);
    expect(await told(undefined)).toEqual(["info", "error", "warn"]);
    expect(await told("error")).toEqual(["error"]);
  });

  test.each([
    ["info", "completed", undefined],
    ["info", "incomplete", undefined],
    ["info", "cancelled", "ABORTED"],
    ["warn", "refused", "BAD_REQUEST"],
    ["warn", "failed", "CONTENT_POLICY"],
    ["error", "refused", "RATE_LIMIT"],
    ["error", "failed", "SERVER_ERROR"],
  ] as const)("are of level %s for a response that is %s, with the error %s", async (level, status, error) => {
    const [line] = await asJson((log) => log.run(runFacts({ status, error })));
    expect(line?.["level"]).toBe(level);
  });

  test("are for people on a terminal, and escape what a client may have smuggled in", async () => {
    const to = Object.assign(new PassThrough(), { isTTY: true });
    const log = logs({ to, now });
    log.run(runFacts({ model: "evil\u001B[2J\nname", usage: null, cost: undefined }));
    log.log({ level: "warn", message: "slow store", took: { ms: 7 } });
    await log.close();
    const [run = "", other = ""] = String(to.read()).split("\n");
    expect(run).toContain(' info  response id=resp_1 model="evil\\u001b[2J\\nname" provider=openai');
    expect(run).not.toContain("undefined");
    expect(other).toMatch(/^\d\d:\d\d:\d\d WARN {2}slow store took=\{"ms":7\}$/);
  });

  test("are written whatever they hold", async () => {
    const circle: Record<string, unknown> = { size: 1n };
    circle["self"] = circle;
    const [line] = await asJson((log) => log.log({ level: "error", message: "odd", circle, count: 5n, part: "store" }));
    expect(line).toMatchObject({ level: "error", message: "odd", count: "5", part: "store" });
  });
});

describe("secrets and content", () => {
  const key = `sk-${"proj-Abc123".repeat(4)}`;
  const ours = `ak-${"x1Y2z3W4".repeat(6)}Q`;

  test("no key is written, wherever it turns up", async () => {
    const lines = await written(
      (log) => {
        const cause = new Error(`refused ${key}`);
        log.log({ level: "error", message: "failed", error: new AntiphonError("AUTH_ERROR", `Wrong key: ${key}`, { cause }) });
        log.log({ level: "error", message: "failed", error: new Error(`Bearer ${ours}`) });
        log.log({ level: "warn", message: "failed", headers: { authorization: "Bearer abc", "x-api-key": "hunter2" } });
        log.run(runFacts({ model: key, upstreamModel: ours }));
        const request: RunFacts["request"] = { input: `my key is ${key}` };
        log.run(runFacts({ request }));
      },
      { content: true },
    );
    expect(lines).toHaveLength(5);
    for (const secret of [key, ours, "hunter2", "Bearer abc"]) expect(lines.join("\n")).not.toContain(secret);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      error: { code: "AUTH_ERROR", message: "Wrong key: ***", cause: "refused ***" },
    });
  });

  test("what was said is written only where that was asked for", async () => {
    const request: RunFacts["request"] = { instructions: "Be brief.", input: "the word is plum" };
    const tell = (log: Logs): void => log.run(runFacts({ request }));
    expect((await written(tell)).join()).not.toMatch(/plum|brief/);
    expect((await asJson(tell, { content: true }))[0]).toMatchObject({ instructions: "Be brief.", input: "the word is plum" });
  });
});

describe("a slow reader", () => {
  test("never holds up the gateway: lines are dropped and counted", async () => {
    let release = (): void => {};
    const taken: string[] = [];
    const to = new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        taken.push(text);
        release = done;
      },
    });
    const log = logs({ to, now, maxWaiting: 10_000 });
    log.log({ level: "info", message: "first" });
    await Promise.resolve();
    for (let at = 0; at < 1_000; at += 1) log.log({ level: "info", message: "line", at });
    const { dropped } = log;
    expect(dropped).toBeGreaterThan(500);
    release();
    release();
    await log.close();
    const lines = taken.join("").trimEnd().split("\n");
    expect(lines).toHaveLength(1_001 - dropped);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ at: 999 - dropped });
  });

  test("a stream that is over takes nothing, and hurts nobody", async () => {
    const to = new PassThrough();
    to.destroy();
    const log = logs({ to });
    log.log({ level: "info", message: "too late" });
    await log.close();
    expect(log.dropped).toBe(0);
  });
});

describe("standard error of a process", () => {
  let built: Program;
  beforeAll(async () => {
    built = await bundle(new URL("logging-child.ts", import.meta.url));
  });
  afterAll(() => built.remove());

  test("that nobody reads does not stop the process", async () => {
    const child = spawn(process.execPath, [built.path, "20000"], { stdio: ["ignore", "pipe", "pipe"] });
    // The pipe of its standard error stays full: only its standard output is read.
    const [said] = (await once(child.stdout, "data")) as [Buffer];
    const { dropped, beats } = JSON.parse(String(said)) as { dropped: number; beats: number };
    child.kill();
    expect(beats).toBeGreaterThan(0);
    expect(dropped).toBeGreaterThan(0);
  });

  test("has every line once the log is closed", async () => {
    const child = spawn(process.execPath, [built.path, "5000"], { stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    for await (const piece of child.stderr) text += String(piece);
    const numbers = text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { at: number }).at);
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, at) => at));
  });
});
