import { AntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { batchesOf, fromBatches, type EventStream, type Middleware } from "../core/respond.ts";
import type { ResponseEvent } from "../model/index.ts";
import type { SchemaChange } from "../tools/tool.ts";
import { tap } from "./meter.ts";

/** A stream, and before it what had to be left out of its request: told as a wire tells it, in an `antiphon:loss` event. */
export const telling = (losses: Loss[], stream: EventStream): EventStream =>
  fromBatches(() => {
    const inner = batchesOf(stream);
    let told = false;
    return {
      next: () => {
        if (told) return inner.next();
        told = true;
        return Promise.resolve({ done: false, value: [{ type: "antiphon:loss", sequence_number: 0, losses }] });
      },
      return: async () => {
        await inner.return?.();
        return { done: true, value: undefined };
      },
    };
  });

/** What an event tells that was left out; nothing where it tells of something else. */
export function lossesIn(event: ResponseEvent): readonly Loss[] {
  const losses: unknown = event.type === "antiphon:loss" ? event["losses"] : undefined;
  return Array.isArray(losses) ? losses : [];
}

/** The error about losses that are not allowed. */
export function lossError(losses: readonly Loss[]): AntiphonError {
  const told = losses.map(({ path, reason }) => `\`${path}\`: ${reason}`).join(" ");
  return new AntiphonError("UNSUPPORTED", `The provider does not support the whole request. ${told}`, { param: losses[0]?.path });
}

/** Makes an error of everything that would be left out or changed; wires say so before anything is sent. */
export const refusingLosses: Middleware = (next) => (request, call) =>
  tap(next(request, call), (batch) => {
    const losses = batch.flatMap(lossesIn);
    if (losses.length > 0) throw lossError(losses);
  });

/** What is lost where a tool's schema has no strict form. */
export const strictnessLosses = (name: string, changes: readonly SchemaChange[]): Loss[] =>
  changes
    .filter(({ rule }) => rule === "not-strict")
    .map(({ path, reason }) => ({ path: `tools.${name}${path}`, reason: `The schema is not strict. ${reason}` }));
