import type { RequestFacts, Telemetry } from "antiphon-gateway";
import { duration } from "./chat/text/amounts.ts";
import { harmless } from "./view.ts";

/** Requests and runs that wait for each other. Bounds the memory. */
const maxWaiting = 1_000;
/** Milliseconds to wait for the run of a streamed response, which ends just after its request. */
const maxWait = 100;

/** Writes one line per request: `09:15:00 POST /v1/responses openai:gpt-5.2 200 1.2 s`. */
export function requestLines(write: (line: string) => void, now = (): Date => new Date()): Telemetry {
  const models = new Map<string, string>();
  const waiting = new Map<string, RequestFacts>();
  const finish = (id: string): void => {
    const facts = waiting.get(id);
    if (facts) write(line(facts, models.get(id), now()));
    for (const map of [waiting, models]) map.delete(id);
  };
  return {
    run({ requestId, model }) {
      if (requestId === undefined) return;
      const [oldest] = models.keys();
      if (models.size >= maxWaiting && oldest !== undefined) models.delete(oldest);
      models.set(requestId, model);
      if (waiting.has(requestId)) finish(requestId);
    },
    request(facts) {
      const { requestId, method } = facts;
      waiting.set(requestId, facts);
      if (method !== "POST" || models.has(requestId) || waiting.size > maxWaiting) finish(requestId);
      else setTimeout(finish, maxWait, requestId).unref();
    },
    log() {},
  };
}

function line({ method, route, status, milliseconds }: RequestFacts, model: string | undefined, time: Date): string {
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
  const taken = milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : duration(milliseconds);
  const parts = [clock, method, route, model, String(status), taken].filter((part) => part !== undefined);
  return `${harmless(parts.join(" "))}\n`;
}
