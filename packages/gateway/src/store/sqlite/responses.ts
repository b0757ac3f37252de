import type { ResponseResource } from "antiphon";
import { chainQuery, turnsFrom, type Link } from "../chain.ts";
import { taken } from "../failures.ts";
import { batchText, checkIds, isStorableId, itemTexts, type BatchText, type ItemText } from "../limits.ts";
import type { Holder, Store, StoredResponse } from "../store.ts";
import {
  isFinal,
  openList,
  responseFrom,
  responseTexts,
  stateTexts,
  storedFrom,
  type ResponseRow,
  type ResponseTexts,
} from "../texts.ts";
import type { AddItems } from "./conversations.ts";
import type { Engine } from "./engine.ts";
import type { LogWriter } from "./events.ts";

type Created = Pick<Store, "createResponse" | "getResponse" | "deleteResponse" | "getChain">;

export function responses({ database, transactions, watchers, limits, now }: Engine): Created {
  const insert = database.prepare(
    `INSERT INTO responses (id, owner, previous, conversation, background, status, created_at, input, output, request, response,
       worker, due, attempts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const find = database.prepare<ResponseRow>("SELECT * FROM responses WHERE id = ? AND owner = ?");
  const remove = database.prepare("DELETE FROM responses WHERE id = ? AND owner = ?");
  const chain = database.prepare<Link>(chainQuery("responses", { id: "?", owner: "?", turns: "?", bytes: "?" }));

  const create = (stored: StoredResponse, texts: ResponseTexts, run: Holder | "queued" | undefined): void => {
    const { id, owner, previous, conversation, background, response } = stored;
    const { input, output, request } = texts;
    const about = [id, owner, previous, conversation, background ? 1 : 0, response.status, response.created_at * 1000] as const;
    const { changes } = insert.run(...about, input, output, request, texts.response, ...runColumns(run, now()));
    if (Number(changes) === 0) throw taken("response", id);
  };
  return {
    createResponse: async (stored, run) => {
      const { id, owner, previous, conversation } = stored;
      checkIds({ response: id, owner, previous, conversation });
      // Made into texts when it is written: a model is asked first, and that should not wait for it.
      await transactions.write(() => create(stored, responseTexts(stored), run), true);
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

/** Who works on a run, when it can be claimed, and how many worked on it; nothing where there is no run. */
function runColumns(
  run: Holder | "queued" | undefined,
  now: number,
): [worker: string | null, due: number | null, attempts: number] {
  if (!run) return [null, null, 0];
  return run === "queued" ? [null, now, 0] : [run.worker, now + run.leaseMs, 1];
}

type State = Pick<ResponseRow, "owner" | "conversation"> & {
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
  const find = database.prepare<State>("SELECT key, owner, conversation, status, worker FROM responses WHERE id = ?");
  const read = database.prepare<Pick<ResponseRow, "response" | "output">>("SELECT response, output FROM responses WHERE id = ?");
  const set = "UPDATE responses SET status = ?, response = ?, output = ?";
  const update = database.prepare(`${set} WHERE key = ?`);
  const ended = `${set}, worker = NULL, due = NULL`;
  const end = database.prepare(`${ended} WHERE key = ?`);
  const endOwn = database.prepare(`${ended} WHERE id = ? AND worker = ? AND status IN ${openList}`);

  /** Whether the update was taken. */
  const take = (id: string, { status, response, output, worker, batch, items }: Update): boolean => {
    const state = find.get(id);
    if (!state || isFinal(state.status) || (worker !== undefined && state.worker !== worker)) return false;
    const logEnd = batch && log.endOf(state.key);
    if (batch && logEnd?.last !== batch.first - 1) return false;
    if (items.length > 0 && state.conversation !== null) addItems(state.conversation, state.owner, items);
    if (batch && logEnd) log.append(state.key, logEnd, batch);
    (isFinal(status) ? end : update).run(status, response, output, state.key);
    return true;
  };
  /** The same for the end of a worker's own run that brings nothing but itself, as most do. */
  const takeEnd = (id: string, { status, response, output }: Update, worker: string): boolean =>
    Number(endOwn.run(status, response, output, id, worker).changes) > 0;
  const standing = (id: string): ResponseResource | undefined => {
    const row = read.get(id);
    return row && responseFrom(row);
  };
  return {
    updateResponse: async (id, response, { worker, events = [], items = [] } = {}) => {
      if (!isStorableId(id)) return undefined;
      const { status } = response;
      const change = { ...stateTexts(response), status, worker, batch: batchText(events), items: itemTexts(items) };
      const isBare = isFinal(status) && events.length === 0 && items.length === 0;
      const stands = await (isBare && worker !== undefined
        ? transactions.write(() => (takeEnd(id, change, worker) ? response : standing(id)), true)
        : transactions.write(() => (take(id, change) ? response : standing(id))));
      if (stands === response) watchers.tell(id);
      return stands;
    },
  };
}
