import { describe, expect, test } from "vitest";
import { abortSignal, Stop } from "../../src/core/stop.ts";

describe("a stop", () => {
  test("is told once, with its first reason, to those who listen then", () => {
    const stop = new Stop();
    const heard: string[] = [];
    const twice = (): void => void heard.push("twice");
    const left = (): void => void heard.push("left");
    stop.addEventListener("abort", twice);
    stop.addEventListener("abort", twice);
    stop.addEventListener("abort", left);
    stop.removeEventListener("abort", left);
    expect(stop.aborted).toBe(false);
    stop.abort("first");
    stop.abort("second");
    expect(heard).toEqual(["twice"]);
    expect(stop).toMatchObject({ aborted: true, reason: "first" });
  });

  test("may be left by those who hear it", () => {
    const stop = new Stop();
    const heard: number[] = [];
    const first = (): void => {
      heard.push(1);
      stop.removeEventListener("abort", first);
    };
    stop.addEventListener("abort", first);
    stop.addEventListener("abort", () => heard.push(2));
    stop.abort("now");
    expect(heard).toEqual([1, 2]);
  });
});

describe("a real signal", () => {
  test("fires with the stop, or has fired already", () => {
    const stop = new Stop();
    const early = abortSignal(stop);
    expect(early).toBeInstanceOf(AbortSignal);
    expect(early.aborted).toBe(false);
    stop.abort("reason");
    expect(early).toMatchObject({ aborted: true, reason: "reason" });
    expect(abortSignal(stop)).toMatchObject({ aborted: true, reason: "reason" });
  });

  test("is itself where it was one, and nothing where there was none", () => {
    const { signal } = new AbortController();
    expect(abortSignal(signal)).toBe(signal);
    expect(abortSignal(undefined)).toBeUndefined();
  });
});
