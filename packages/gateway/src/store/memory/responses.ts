import { turnsFrom, type Link } from "../chain.ts";
import { logFull, taken } from "../failures.ts";
import { batchText, bytesOf, checkIds, eventsWithin, itemTexts, type BatchText } from "../limits.ts";
import type { Holder, Store, StoredResponse } from "../store.ts";
import { isFinal, responseFrom, responseTexts, stateTexts, storedFrom, type ResponseTexts } from "../texts.ts";
import type { AddItems } from "./conversations.ts";
import type { MemoryEngine, MemoryResponse, MemoryRun } from "./engine.ts";

type Responses = Pick<Store, "createResponse" | "updateResponse" | "getResponse" | "deleteResponse" | "getChain">;

export function responses(engine: MemoryEngine, addItems: AddItems): Responses {
  const { responses: all, shelf, watchers, limits } = engine;
  const owned = (id: string, owner: string): MemoryResponse | undefined => {
    const found = all.get(id);
    return found?.owner === owner ? found : undefined;
  };
  return {
    createResponse: async (stored, run, json) => {
      const { id, owner, previous, conversation } = stored;
      checkIds({ response: id, owner, previous, conversation });
      if (all.has(id)) throw taken("response", id);
      const made = madeOf(engine, stored, responseTexts(stored, json), run);
      all.set(id, made);
      shelf.put(made.kept);
    },
    updateResponse: async (id, response, { worker, json, events = [], items = [] } = {}) => {
      const batch = batchText(events);
      const texts = itemTexts(items);
      const found = all.get(id);
      if (!found) return undefined;
      const isLost = isFinal(found.status) || !holds(found, worker) || (batch && !fits(found, batch));
      if (isLost) return responseFrom(found);
      if (texts.length > 0 && found.conversation !== null) addItems(found.conversation, found.owner, texts);
      if (batch) append(found, batch);
      Object.assign(found, stateTexts(response, json), { status: response.status });
      if (isFinal(response.status)) found.run = undefined;
      shelf.put(found.kept);
      watchers.tell(id);
      return response;
    },
    getResponse: async (id, owner) => {
      const found = owned(id, owner);
      return found && storedFrom(found);
    },
    deleteResponse: async (id, owner) => {
      const found = owned(id, owner);
      if (!found) return false;
      all.delete(id);
      shelf.remove(found.kept);
      watchers.tell(id);
      return true;
    },
    getChain: async (id, owner, turns) => {
      const links: Link[] = [];
      let bytes = 0;
      let at = owned(id, owner);
      while (at && links.length < turns && bytes <= limits.chainBytes) {
        bytes += bytesOf(at.input) + bytesOf(at.output);
        links.push({ ...at, depth: links.length + 1, bytes });
        at = at.previous === null ? undefined : owned(at.previous, owner);
      }
      return turnsFrom(links.toReversed(), id, { turns, bytes: limits.chainBytes });
    },
  };
}

function madeOf(
  { responses, now }: MemoryEngine,
  { id, owner, previous, conversation, background, response }: StoredResponse,
  texts: ResponseTexts,
  run: Holder | "queued" | undefined,
): MemoryResponse {
  const made: MemoryResponse = {
    id,
    owner,
    previous,
    conversation,
    background,
    ...texts,
    status: response.status,
    created_at: response.created_at * 1000,
    log: [],
    logBytes: 0,
    run: run && runOf(run, now()),
    kept: {
      bytes: () => bytesOf(texts.request) + bytesOf(texts.input) + bytesOf(made.response) + bytesOf(made.output) + made.logBytes,
      inUse: () => made.run !== undefined,
      drop: () => responses.delete(id),
    },
  };
  return made;
}

const runOf = (run: Holder | "queued", now: number): MemoryRun =>
  run === "queued" ? { worker: undefined, due: now, attempts: 0 } : { worker: run.worker, due: now + run.leaseMs, attempts: 1 };

const holds = ({ run }: MemoryResponse, worker: string | undefined): boolean => worker === undefined || run?.worker === worker;

const fits = ({ log }: MemoryResponse, { first }: BatchText): boolean => (log.at(-1)?.last ?? -1) === first - 1;

function append(response: MemoryResponse, batch: BatchText): void {
  response.log.push(batch);
  response.logBytes += batch.bytes;
}

type Events = Pick<Store, "appendEvents" | "readEvents" | "watch">;

export function events({ responses, shelf, watchers, limits }: MemoryEngine): Events {
  return {
    appendEvents: async (id, events, worker) => {
      const batch = batchText(events);
      const found = responses.get(id);
      if (!batch) return true;
      if (!found || isFinal(found.status) || !holds(found, worker) || !fits(found, batch)) return false;
      if (found.logBytes + batch.bytes > limits.logBytes) throw logFull(id);
      append(found, batch);
      shelf.put(found.kept);
      watchers.tell(id);
      return true;
    },
    readEvents: async (id, owner, after, limit) => {
      const found = responses.get(id);
      if (found?.owner !== owner) return [];
      const batches = found.log.filter(({ first, last }) => last > after && first <= after + limit);
      return eventsWithin(
        batches.map(({ text }) => ({ batch: text })),
        after,
        limit,
      );
    },
    watch: (id, changed) => watchers.add(id, changed),
  };
}

type Runs = Pick<Store, "claimRun" | "renewLeases" | "requeueRun" | "countWaiting">;

export function runs({ responses, watchers, now }: MemoryEngine): Runs {
  const held = (id: string, worker: string): MemoryRun | undefined => {
    const run = responses.get(id)?.run;
    return run?.worker === worker ? run : undefined;
  };
  const allDue = (): { response: MemoryResponse; run: MemoryRun }[] =>
    [...responses.values()].flatMap((response) =>
      response.run && response.run.due <= now() ? [{ response, run: response.run }] : [],
    );
  /** The run that waits the longest. */
  const next = (): { response: MemoryResponse; run: MemoryRun } | undefined => {
    const due = allDue();
    return due.reduce<(typeof due)[number] | undefined>(
      (best, one) => (best && best.run.due <= one.run.due ? best : one),
      undefined,
    );
  };
  return {
    claimRun: async ({ worker, leaseMs }) => {
      const found = next();
      if (!found) return undefined;
      Object.assign(found.run, { worker, due: now() + leaseMs, attempts: found.run.attempts + 1 });
      return { response: storedFrom(found.response), attempt: found.run.attempts };
    },
    renewLeases: async (ids, { worker, leaseMs }) =>
      ids.filter((id) => {
        const run = held(id, worker);
        if (run) run.due = now() + leaseMs;
        return run !== undefined;
      }),
    requeueRun: async (id, worker) => {
      const run = held(id, worker);
      if (!run) return false;
      Object.assign(run, { worker: undefined, due: now() });
      watchers.tell(id);
      return true;
    },
    countWaiting: async () => allDue().length,
  };
}
