import type { ResponseResource } from "antiphon";
import { chainQuery, turnsFrom, type Link } from "../chain.ts";
import { taken } from "../failures.ts";
import { batchText, checkIds, isStorableId, itemTexts, type BatchText, type ItemText } from "../limits.ts";
import type { Holder, Store, StoredResponse } from "../store.ts";
import { isFinal, responseFrom, responseTexts, stateTexts, storedFrom, type ResponseRow, type ResponseTexts } from "../texts.ts";
import type { AddItems } from "./conversations.ts";
import type { Engine } from "./engine.ts";
import type { LogWriter } from "./events.ts";

type Created = Pick<Store, "createResponse" | "getResponse" | "deleteResponse" | "getChain">;

export function responses({ database, transactions, watchers, limits, now }: Engine): Created {
  const insert = database.prepare<{ key: number }>(
    `INSERT INTO responses (id, owner, previous, conversation, background, status, created_at, input, output, request, response)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING key`,
  );
  const insertRun = database.prepare("INSERT INTO runs (response_key, worker, due, attempts) VALUES (?, ?, ?, ?)");
  const find = database.prepare<ResponseRow>("SELECT * FROM responses WHERE id = ? AND owner = ?");
  const remove = database.prepare("DELETE FROM responses WHERE id = ? AND owner = ?");
  const chain = database.prepare<Link>(chainQuery("responses", { id: "?", owner: "?", turns: "?", bytes: "?" }));

  const create = (stored: StoredResponse, texts: ResponseTexts, run: Holder | "queued" | undefined): void => {
    const { id, owner, previous, conversation, background, response } = stored;
    const { input, output, request } = texts;
    const about = [id, owner, previous, conversation, background ? 1 : 0, response.status, response.created_at * 1000] as const;
    const row = insert.get(...about, input, output, request, texts.response);
    if (!row) throw taken("response", id);
    if (run === "queued") insertRun.run(row.key, null, now(), 0);
    else if (run) insertRun.run(row.key, run.worker, now() + run.leaseMs, 1);
  };
  return {
    createResponse: async (stored, run) => {
      const { id, owner, previous, conversation } = stored;
      checkIds({ response: id, owner, previous, conversation });
      const texts = responseTexts(stored);
      await transactions.write(() => create(stored, texts, run));
    },
    getResponse: (id, owner) =>
      transactions.read(() => {
        const row = isStorableId(id) ? find.get(id, owner) : undefined;
        return row && storedFrom(row);
      }),
    deleteResponse: async (id, owner) => {
      const deleted = isStorableId(id) && (await transactions.write(() => Number(remove.run(id, owner).changes) > 0));
      if (deleted) watchers.tell(id);
      return deleted;
    },
    getChain: (id, owner, turns) =>
      transactions.read(() => {
        if (!isStorableId(id)) return undefined;
        const bytes = limits.chainBytes;
        return turnsFrom(chain.all(id, owner, owner, turns, bytes, bytes), id, { turns, bytes });
      }),
  };
}

type State = Pick<ResponseRow, "owner" | "conversation" | "response" | "output"> & {
  key: number;
  status: ResponseResource["status"];
  worker: string | null;
};

/** The newer state of a response, and what comes with it. */
interface Update extends Pick<ResponseTexts, "response" | "output"> {
  status: ResponseResource["status"];
  worker: string | undefined;
  batch: BatchText | undefined;
  items: readonly ItemText[];
}

export function updates(
  { database, transactions, watchers }: Engine,
  log: LogWriter,
  addItems: AddItems,
): Pick<Store, "updateResponse"> {
  const find = database.prepare<State>(
    `SELECT key, owner, conversation, status, worker, response, output
     FROM responses LEFT JOIN runs ON response_key = key WHERE id = ?`,
  );
  const update = database.prepare("UPDATE responses SET status = ?, response = ?, output = ? WHERE key = ?");
  const endRun = database.prepare("DELETE FROM runs WHERE response_key = ?");

  /** Whether the update was taken. */
  const take = (state: State, { status, response, output, worker, batch, items }: Update): boolean => {
    if (isFinal(state.status) || (worker !== undefined && state.worker !== worker)) return false;
    const end = batch && log.endOf(state.key);
    if (batch && end?.last !== batch.first - 1) return false;
    if (items.length > 0 && state.conversation !== null) addItems(state.conversation, state.owner, items);
    if (batch && end) log.append(state.key, end, batch);
    update.run(status, response, output, state.key);
    if (isFinal(status)) endRun.run(state.key);
    return true;
  };
  return {
    updateResponse: async (id, response, { worker, events = [], items = [] } = {}) => {
      if (!isStorableId(id)) return undefined;
      const { status } = response;
      const change = { ...stateTexts(response), status, worker, batch: batchText(events), items: itemTexts(items) };
      const stands = await transactions.write(() => {
        const state = find.get(id);
        return state && (take(state, change) ? response : responseFrom(state));
      });
      if (stands === response) watchers.tell(id);
      return stands;
    },
  };
}
