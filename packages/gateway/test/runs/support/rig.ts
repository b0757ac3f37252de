import { isTerminal, newId, type CreateResponse, type Respond, type ResponseEvent, type ResponseResource } from "antiphon";
import { lifecycleLaw } from "antiphon/testing";
import { expect } from "vitest";
import { faces } from "../../../src/http/faces.ts";
import type { Caller, Gatekeeper, Took } from "../../../src/keys/gatekeeper.ts";
import { defaultLimits, type Limits } from "../../../src/limits.ts";
import type { ModelRoute } from "../../../src/models/models.ts";
import type { Background } from "../../../src/runs/background.ts";
import { backgroundRuns } from "../../../src/runs/background-runs.ts";
import { runForeground, type Running } from "../../../src/runs/foreground.ts";
import { acceptJob, type Job } from "../../../src/runs/job.ts";
import { Leases } from "../../../src/runs/leases.ts";
import type { Live } from "../../../src/runs/live.ts";
import { Recent } from "../../../src/runs/recent.ts";
import type { RunContext } from "../../../src/runs/run-context.ts";
import { Table } from "../../../src/runs/table.ts";
import { UrlGuard } from "../../../src/security/url-guard.ts";
import type { Store } from "../../../src/store/store.ts";
import type { LogEntry, RunFacts } from "../../../src/telemetry/telemetry.ts";

export interface RigOptions {
  store: Store;
  respond: Respond;
  limits?: Partial<Limits>;
  leaseMs?: number;
  poll?: number;
  pause?: number;
}

const ada: Caller = { owner: "ada", key: "key_ada" };

/** A gateway without its network: everything that runs need, and what they told. */
export class Rig {
  readonly context: RunContext & { recent: Recent; urlGuard: UrlGuard };
  readonly background: Background;
  readonly charged: { key: string; took: Took }[] = [];
  readonly runs: RunFacts[] = [];
  readonly logs: LogEntry[] = [];

  constructor({ store, respond, limits, leaseMs = 60_000, poll = 20, pause = 5 }: RigOptions) {
    const worker = newId("worker");
    const route: ModelRoute = {
      name: "puppet",
      model: "puppet-1",
      provider: "test",
      respond,
      cost: (usage) => usage.total_tokens / 1000,
    };
    this.context = {
      store,
      models: {
        resolve: () => route,
        resolveEmbeddings: () => {
          throw new Error("There are none.");
        },
        list: async () => [],
      },
      limits: { ...defaultLimits, ...limits },
      gatekeeper: this.#gatekeeper(),
      telemetry: { request() {}, run: (facts) => this.runs.push(facts), log: (entry) => this.logs.push(entry) },
      live: new Table<Live>(),
      recent: new Recent(),
      urlGuard: new UrlGuard(),
      worker,
      leases: new Leases(store, worker, leaseMs),
      newId,
      now: () => 1_700_000_500,
    };
    this.background = backgroundRuns(this.context, { poll, pause });
  }

  get store(): Store {
    return this.context.store;
  }

  async job(request: CreateResponse = {}): Promise<Job> {
    return acceptJob(
      this.context,
      { model: "puppet", input: "Hello", background: true, ...request },
      { face: faces.strict, caller: ada, requestId: "req_1", headers: { traceparent: "00-1" } },
    );
  }

  async submit(request: CreateResponse = {}): Promise<ResponseResource> {
    return this.background.submit(await this.job(request));
  }

  async foreground(request: CreateResponse = {}, signal = new AbortController().signal): Promise<Running> {
    return runForeground(this.context, await this.job({ background: false, stream: true, ...request }), signal);
  }

  async get(id: string): Promise<ResponseResource | undefined> {
    return (await this.store.getResponse(id, "ada"))?.response;
  }

  async follow(id: string, signal?: AbortSignal): Promise<AsyncIterableIterator<ResponseEvent[]>> {
    const batches = await this.background.follow(id, "ada", signal);
    if (!batches) throw new Error("There is no log.");
    return batches;
  }

  /** All events up to the last. */
  async read(id: string): Promise<ResponseEvent[]> {
    return all(await this.follow(id));
  }

  /** The response when it has ended. */
  async end(id: string): Promise<ResponseResource> {
    await this.read(id);
    return (await this.get(id))!;
  }

  close(milliseconds = 0): Promise<void> {
    return this.background.close(AbortSignal.timeout(milliseconds));
  }

  #gatekeeper(): Gatekeeper {
    return {
      authenticate: async () => ada,
      admit: async () => ({ settle() {} }),
      allows: () => true,
      charge: (key, took) => this.charged.push({ key, took }),
    };
  }
}

export async function all(batches: AsyncIterable<ResponseEvent[]>): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const batch of batches) events.push(...batch);
  return events;
}

/** Reads batches until an event fits. */
export async function until(
  batches: AsyncIterator<ResponseEvent[]>,
  fits: (event: ResponseEvent) => boolean,
): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for (;;) {
    const { done, value } = await batches.next();
    if (done) throw new Error(`Ended at ${events.at(-1)?.type}.`);
    events.push(...value);
    if (value.some(fits)) return events;
  }
}

export const isDelta = ({ type }: ResponseEvent): boolean => type.endsWith(".delta");

/** Waits for something that no event tells of. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** The events are a whole stream, numbered from 0 on, and end in the response. */
export function expectWhole(events: readonly ResponseEvent[], response: ResponseResource | undefined): void {
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  expect(lifecycleLaw([...events])).toBeUndefined();
  expect(events.filter(isTerminal).map((event) => event.response)).toEqual([response]);
}

export const typesOf = (events: readonly ResponseEvent[]): string[] => events.map(({ type }) => type);
