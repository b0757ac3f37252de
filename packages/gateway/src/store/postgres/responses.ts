import { chainQuery, turnsFrom, type Link } from "../chain.ts";
import { conversationFull, taken } from "../failures.ts";
import { batchText, checkIds, isStorableId, itemTexts, sizeOf } from "../limits.ts";
import type { Store } from "../store.ts";
import { isFinal, openList, responseFrom, responseTexts, stateTexts, storedFrom, type ResponseRow } from "../texts.ts";
import { insertItems } from "./conversations.ts";
import { inMs, nowMs, type Engine } from "./engine.ts";
import { comesTooLate, stateReader } from "./state.ts";

type Responses = Pick<Store, "createResponse" | "getResponse" | "deleteResponse" | "getChain">;

export function responses({ database, notifications, limits }: Engine): Responses {
  const table = `${database.schema}.responses`;
  const insert = database.prepare(
    `INSERT INTO ${table} (id, owner, previous, conversation, background, status, created_at, input, output, request, response,
       worker, due, attempts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, ${inMs("$13")}, $14)
     ON CONFLICT DO NOTHING RETURNING 1`,
  );
  const find = database.prepare<ResponseRow>(`SELECT * FROM ${table} WHERE id = $1 AND owner = $2`);
  const remove = database.prepare(`DELETE FROM ${table} WHERE id = $1 AND owner = $2 RETURNING 1`);
  const chain = database.prepare<Link>(chainQuery(table, { id: "$1", owner: "$2", turns: "$3", bytes: "$4" }));
  return {
    createResponse: async (stored, run, json) => {
      const { id, owner, previous, conversation, background, response } = stored;
      checkIds({ response: id, owner, previous, conversation });
      const { input, output, request, response: text } = responseTexts(stored, json);
      const about = [id, owner, previous, conversation, background, response.status, response.created_at * 1000] as const;
      const held = run === "queued" ? [null, 0, 0] : run ? [run.worker, run.leaseMs, 1] : [null, null, 0];
      const rows = await insert(...about, input, output, request, text, ...held);
      if (rows.length === 0) throw taken("response", id);
    },
    getResponse: async (id, owner) => {
      const [row] = isStorableId(id) ? await find(id, owner) : [];
      return row && storedFrom(row);
    },
    deleteResponse: async (id, owner) => {
      const deleted = isStorableId(id) && (await remove(id, owner)).length > 0;
      if (deleted) notifications.changed(id);
      return deleted;
    },
    getChain: async (id, owner, turns) => {
      if (!isStorableId(id)) return undefined;
      const bytes = limits.chainBytes;
      return turnsFrom(await chain(id, owner, turns, bytes), id, { turns, bytes });
    },
  };
}

/** The newer state of a response; with what comes along, if anything does. */
const updateQuery = (schema: string): { plain: string; whole: string } => {
  const set = `status = $2, response = $3, output = $4, worker = CASE WHEN $5 THEN NULL ELSE worker END,
    due = CASE WHEN $5 THEN NULL ELSE due END`;
  const isOpen = `id = $1 AND status IN ${openList} AND ($6::text IS NULL OR worker = $6)`;
  const isFull = `SELECT 1 FROM ${schema}.conversations c WHERE c.id = r.conversation AND c.owner = r.owner
    AND (c.items + $10 > $12 OR c.bytes + $11 > $13)`;
  return {
    plain: `UPDATE ${schema}.responses SET ${set} WHERE ${isOpen} RETURNING 1`,
    whole: `
      WITH updated AS (
        UPDATE ${schema}.responses r SET ${set}, log_end = COALESCE($8::integer, log_end)
        WHERE ${isOpen} AND ($7::integer IS NULL OR log_end = $7 - 1) AND ($10 = 0 OR NOT EXISTS (${isFull}))
        RETURNING id, owner, conversation
      ),
      logged AS (
        INSERT INTO ${schema}.events (response_id, first, last, batch) SELECT id, $7, $8, $9 FROM updated WHERE $7 IS NOT NULL
      ),
      grown AS (
        UPDATE ${schema}.conversations c SET items = c.items + $10::integer, bytes = c.bytes + $11::bigint, used_at = ${nowMs}
        FROM updated u WHERE $10 > 0 AND c.id = u.conversation AND c.owner = u.owner
        RETURNING c.id, c.items - $10 AS start
      ),
      added AS (${insertItems(schema, "grown", "$14", "$15")})
      SELECT 1 FROM updated`,
  };
};

export function updates({ database, notifications, limits }: Engine): Pick<Store, "updateResponse"> {
  const query = updateQuery(database.schema);
  const [plain, whole] = [database.prepare(query.plain), database.prepare(query.whole)];
  const read = stateReader(database);
  const { conversationItems, conversationBytes } = limits;
  return {
    updateResponse: async (id, response, { worker, json, events = [], items = [] } = {}) => {
      const texts = itemTexts(items);
      const batch = batchText(events);
      if (!isStorableId(id)) return undefined;
      const { status } = response;
      const { response: text, output } = stateTexts(response, json);
      const change = [id, status, text, output, isFinal(status), worker ?? null] as const;
      const logged = [batch?.first ?? null, batch?.last ?? null, batch?.text ?? null] as const;
      const added = [texts.length, sizeOf(texts), conversationItems, conversationBytes] as const;
      const lists = [texts.map((item) => item.id), texts.map((item) => item.text)] as const;
      const isPlain = !batch && texts.length === 0;
      const taken = await (isPlain ? plain(...change) : whole(...change, ...logged, ...added, ...lists));
      if (taken.length > 0) {
        notifications.changed(id);
        return response;
      }
      const [state] = await read(id);
      if (state && texts.length > 0 && !comesTooLate(state, worker, batch)) throw conversationFull(state.conversation ?? "");
      return state && responseFrom(state);
    },
  };
}
