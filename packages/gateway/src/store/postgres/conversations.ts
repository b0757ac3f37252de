import { conversationFull, noSuchItem, taken } from "../failures.ts";
import { checkIds, isStorableId, itemTexts, sizeOf } from "../limits.ts";
import type { Store } from "../store.ts";
import { conversationFrom, itemFrom, type ConversationRow } from "../texts.ts";
import { nowMs, type Engine } from "./engine.ts";

/** Adds two lists, of ids and of items, to the conversations that a part of the statement grew, from `start` on. */
export const insertItems = (schema: string, grown: string, ids: string, texts: string): string =>
  `INSERT INTO ${schema}.items (conversation, position, id, item)
   SELECT g.id, g.start + t.nth - 1, t.id, t.item
   FROM ${grown} g, unnest(${ids}::text[], ${texts}::text[]) WITH ORDINALITY AS t (id, item, nth)
   ON CONFLICT (conversation, id) DO NOTHING`;

type Conversations = Pick<Store, "createConversation" | "getConversation" | "updateConversation" | "deleteConversation">;

export function conversations({ database, limits }: Engine): Conversations {
  const { schema } = database;
  const table = `${schema}.conversations`;
  const insert = database.prepare(
    `WITH made AS (
       INSERT INTO ${table} (id, owner, created_at, used_at, items, bytes, metadata) VALUES ($1, $2, $3, ${nowMs}, $4, $5, $6)
       ON CONFLICT DO NOTHING RETURNING id, 0 AS start
     ),
     added AS (${insertItems(schema, "made", "$7", "$8")})
     SELECT 1 FROM made`,
  );
  const find = database.prepare<ConversationRow>(`SELECT * FROM ${table} WHERE id = $1 AND owner = $2`);
  const update = database.prepare<ConversationRow>(`UPDATE ${table} SET metadata = $3 WHERE id = $1 AND owner = $2 RETURNING *`);
  const remove = database.prepare(`DELETE FROM ${table} WHERE id = $1 AND owner = $2 RETURNING 1`);
  return {
    createConversation: async ({ id, owner, created_at, metadata }, items) => {
      checkIds({ conversation: id, owner });
      const texts = itemTexts(items);
      const bytes = sizeOf(texts);
      if (texts.length > limits.conversationItems || bytes > limits.conversationBytes) throw conversationFull(id);
      const lists = [texts.map((item) => item.id), texts.map((item) => item.text)] as const;
      const made = await insert(id, owner, created_at, texts.length, bytes, JSON.stringify(metadata), ...lists);
      if (made.length === 0) throw taken("conversation", id);
    },
    getConversation: async (id, owner) => {
      const [row] = isStorableId(id) ? await find(id, owner) : [];
      return row && conversationFrom(row);
    },
    updateConversation: async (id, owner, metadata) => {
      const [row] = isStorableId(id) ? await update(id, owner, JSON.stringify(metadata)) : [];
      return row && conversationFrom(row);
    },
    deleteConversation: async (id, owner) => isStorableId(id) && (await remove(id, owner)).length > 0,
  };
}

type Items = Pick<Store, "addItems" | "getItem" | "listItems" | "deleteItem">;

/** One row for each item, with the place that the page begins after; one row without an item where there are none. */
interface Listed {
  start: number | null;
  item: string | null;
}

/** A page of items after a place, which is also the answer where there is no item, and nothing where there is no conversation. */
const listQuery = (schema: string, side: string, end: number, order: string): string =>
  `SELECT a.position AS start, i.item
   FROM ${schema}.conversations c
   LEFT JOIN ${schema}.items a ON a.conversation = c.id AND a.id = $3
   LEFT JOIN LATERAL (
     SELECT position, item FROM ${schema}.items WHERE conversation = c.id AND position ${side} COALESCE(a.position, ${end})
     ORDER BY position ${order} LIMIT $4
   ) i ON true
   WHERE c.id = $1 AND c.owner = $2 ORDER BY i.position ${order}`;

export function items({ database, limits }: Engine): Items {
  const { schema } = database;
  const { conversationItems, conversationBytes } = limits;
  const add = database.prepare(
    `WITH grown AS (
       UPDATE ${schema}.conversations c SET items = c.items + $3::integer, bytes = c.bytes + $4::bigint, used_at = ${nowMs}
       WHERE c.id = $1 AND c.owner = $2 AND c.items + $3 <= $5 AND c.bytes + $4 <= $6
       RETURNING c.id, c.items - $3 AS start
     ),
     added AS (${insertItems(schema, "grown", "$7", "$8")})
     SELECT 1 FROM grown`,
  );
  const exists = database.prepare(`SELECT 1 FROM ${schema}.conversations WHERE id = $1 AND owner = $2`);
  const get = database.prepare<{ item: string }>(
    `SELECT i.item FROM ${schema}.items i JOIN ${schema}.conversations c ON c.id = i.conversation
     WHERE c.id = $1 AND c.owner = $2 AND i.id = $3`,
  );
  const lists = {
    asc: database.prepare<Listed>(listQuery(schema, ">", -1, "ASC")),
    desc: database.prepare<Listed>(listQuery(schema, "<", 2 ** 31 - 1, "DESC")),
  };
  // The conversation is locked before the item, as everywhere: whoever locks in the other order may wait for ever.
  const remove = database.prepare(
    `WITH held AS (
       SELECT id FROM ${schema}.conversations WHERE id = $1 AND owner = $2 FOR UPDATE
     ),
     gone AS (
       DELETE FROM ${schema}.items i USING held WHERE i.conversation = held.id AND i.id = $3 RETURNING octet_length(i.item) AS bytes
     )
     UPDATE ${schema}.conversations SET bytes = conversations.bytes - gone.bytes FROM gone WHERE id = $1 RETURNING 1`,
  );
  return {
    addItems: async (conversation, owner, items) => {
      const texts = itemTexts(items);
      if (!isStorableId(conversation)) return false;
      const texted = [texts.map((item) => item.id), texts.map((item) => item.text)] as const;
      const added = await add(conversation, owner, texts.length, sizeOf(texts), conversationItems, conversationBytes, ...texted);
      if (added.length > 0) return true;
      if ((await exists(conversation, owner)).length > 0) throw conversationFull(conversation);
      return false;
    },
    getItem: async (conversation, owner, item) => {
      const [row] = isStorableId(conversation) && isStorableId(item) ? await get(conversation, owner, item) : [];
      return row && itemFrom(row.item);
    },
    listItems: async (conversation, owner, { after, limit, order }) => {
      if (!isStorableId(conversation)) return undefined;
      const from = after !== undefined && isStorableId(after) ? after : null;
      const rows = await lists[order](conversation, owner, from, limit + 1);
      if (!rows[0]) return undefined;
      if (after !== undefined && rows[0].start === null) throw noSuchItem(after);
      const found = rows.flatMap(({ item }) => (item === null ? [] : [item]));
      return { items: found.slice(0, limit).map(itemFrom), more: found.length > limit };
    },
    deleteItem: async (conversation, owner, item) =>
      isStorableId(conversation) && isStorableId(item) && (await remove(conversation, owner, item)).length > 0,
  };
}
