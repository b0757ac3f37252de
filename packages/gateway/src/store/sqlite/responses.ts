import type { ResponseResource } from "antiphon";
import type { ResponseJson } from "antiphon/codecs/responses";
import { chainQuery, turnsFrom, type Link } from "../chain.ts";
import { taken } from "../failures.ts";
import { batchText, checkIds, isStorableId, itemTexts, type BatchText, type ItemText } from "../limits.ts";
import type { Holder, Store, StoredResponse } from "../store.ts";
import { isFinal, responseFrom, responseTexts, stateTexts, storedFrom, type ResponseRow, type ResponseTexts } from "../texts.ts";
import type { AddItems } from "./conversations.ts";
import type { Engine } from "./engine.ts";
import type { LogWriter } from "./events.ts";
import { rowEnder, rowInserter, rowOf, type RunEnd } from "./response-rows.ts";
import type { AheadWork } from "./transactions.ts";

type Created = Pick<Store, "createResponse" | "getResponse" | "deleteResponse" | "getChain">;

export function responses({ database, transactions, watchers, limits, now }: Engine): Created {
  const insert = rowInserter(database);
  const find = database.prepare<ResponseRow>("SELECT * FROM responses WHERE id = ? AND owner = ?");
  const remove = database.prepare("DELETE FROM responses WHERE id = ? AND owner = ?");
  const chain = database.prepare<Link>(chainQuery("responses", { id: "?", owner: "?", turns: "?", bytes: "?" }));

  const create = (stored: StoredResponse, run: Holder | "queued" | undefined, json?: ResponseJson): void => {
    transactions.ahead?.saw(stored.id);
    if (!insert(rowOf(stored, responseTexts(stored, json), run, now()))) throw taken("response", stored.id);
  };
  /** What waits for a worker goes straight into the database: somebody looks for it there at once. */
  const createAhead = (stored: StoredResponse, run: Holder | undefined, json?: ResponseJson): AheadWork<void> => ({
    gather: (ahead) => {
      ahead.begin(rowOf(stored, responseTexts(stored, json), run, now()));
      return true;
    },
    result: undefined,
  });
  return {
    createResponse: async (stored, run, json) => {
      const { id, owner, previous, conversation } = stored;
      checkIds({ response: id, owner, previous, conversation });
      // Made into texts when it is written: a model is asked first, and that should not wait for it.
      const ahead = run === "queued" ? undefined : createAhead(stored, run, json);
      await transactions.write(() => create(stored, run, json), { isOne: true, ahead });
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
  const end = database.prepare(`${set}, worker = NULL, due = NULL WHERE key = ?`);
  const endOwn = rowEnder(database);

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
  const standing = (id: string): ResponseResource | undefined => {
    const row = read.get(id);
    return row && responseFrom(row);
  };
  const takeAll = (response: ResponseResource, id: string, change: Update): Promise<ResponseResource | undefined> =>
    transactions.write(() => (take(id, change) ? response : standing(id)));
  /** The end of a worker's own run that brings nothing but itself, as most do. */
  const takeEnd = (response: ResponseResource, change: RunEnd): Promise<ResponseResource | undefined> =>
    transactions.write(() => (endOwn(change) ? response : standing(change.id)), {
      isOne: true,
      ahead: { gather: (ahead) => ahead.end(change), result: response },
    });
  return {
    updateResponse: async (id, response, { worker, json, events = [], items = [] } = {}) => {
      if (!isStorableId(id)) return undefined;
      const { status } = response;
      const state = stateTexts(response, json);
      const isBare = isFinal(status) && events.length === 0 && items.length === 0;
      const stands = await (isBare && worker !== undefined
        ? takeEnd(response, { id, worker, status, response: state.response, output: state.output })
        : takeAll(response, id, { ...state, status, worker, batch: batchText(events), items: itemTexts(items) }));
      if (stands === response) watchers.tell(id);
      return stands;
    },
  };
}
