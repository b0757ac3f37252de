import type { RequestFacts, RunFacts } from "antiphon-gateway";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { requestLines } from "../src/request-lines.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = (requestId: string, changes: Partial<RequestFacts> = {}): RequestFacts => ({
  method: "POST",
  route: "/v1/responses",
  status: 200,
  milliseconds: 1_240,
  owner: undefined,
  requestId,
  ...changes,
});

const run = (requestId: string, model: string): RunFacts => ({
  id: "resp_1",
  model,
  provider: "offline",
  upstreamModel: model,
  status: "completed",
  error: undefined,
  usage: undefined,
  cost: undefined,
  streamed: false,
  background: false,
  firstOutput: undefined,
  milliseconds: 1,
  owner: "local",
  requestId,
});

function watch() {
  const lines: string[] = [];
  const time = new Date(2026, 0, 1, 9, 15, 7);
  return {
    lines,
    sink: requestLines(
      (line) => lines.push(line),
      () => time,
    ),
  };
}

test("a request is one line with time, method, path, model, status and duration", () => {
  const { lines, sink } = watch();
  sink.run(run("a", "openai:gpt-5.2"));
  sink.request(request("a"));
  sink.request(request("b", { method: "GET", route: "/v1/models", status: 404, milliseconds: 3.4 }));
  expect(lines).toEqual(["09:15:07 POST /v1/responses openai:gpt-5.2 200 1.2 s\n", "09:15:07 GET /v1/models 404 3 ms\n"]);
});

test("a streamed request whose run ends later still names the model", () => {
  const { lines, sink } = watch();
  sink.request(request("a"));
  expect(lines).toEqual([]);
  sink.run(run("a", "fast"));
  expect(lines).toEqual(["09:15:07 POST /v1/responses fast 200 1.2 s\n"]);
});

test("a request without a run is printed once, after a short wait", () => {
  const { lines, sink } = watch();
  sink.request(request("a", { status: 400 }));
  vi.runAllTimers();
  sink.run(run("a", "late"));
  vi.runAllTimers();
  expect(lines).toEqual(["09:15:07 POST /v1/responses 400 1.2 s\n"]);
});

test("a model name cannot control the terminal", () => {
  const { lines, sink } = watch();
  sink.run(run("a", "x\u001B[2Jy"));
  sink.request(request("a"));
  expect(lines[0]).toContain("x[2Jy");
});
