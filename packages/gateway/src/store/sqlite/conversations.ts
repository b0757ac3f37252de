import type { InputItem } from "antiphon";
import { conversationFull, noSuchItem, taken } from "../failures.ts";
import { checkIds, isStorableId, itemTexts, sizeOf, type ItemText } from "../limits.ts";
import type { Page, Store } from "../store.ts";
import { conversationFrom, itemFrom, type ConversationRow } from "../texts.ts";
import type { Engine } from "./engine.ts";

/** Adds items to a conversation, inside a transaction; `false` where there is none. It refuses before anything is written. */
export type AddItems = (conversation: string, owner: string, items: readonly ItemText[]) => boolean;

type Row = ConversationRow & { key: number; items: number; bytes: number };

const byOwner = "SELECT * FROM conversations WHERE id = ? AND owner = ?";

export function itemAdder({ database, limits, now }: Engine): AddItems {
  const find = database.prepare<Row>(byOwner);
  const grow = database.prepare("UPDATE conversations SET items = items + ?, bytes = bytes + ?, used_at = ? WHERE key = ?");
  const insert = database.prepare(
    "INSERT INTO items (conversation, position, id, item) VALUES (?, ?, ?, ?) ON CONFLICT (conversation, id) DO NOTHING",
  );
  return (id, owner, items) => {
    const conversation = find.get(id, owner);
    if (!conversation) return false;
    const bytes = sizeOf(items);
    if (conversation.items + items.length > limits.conversationItems || conversation.bytes + bytes > limits.conversationBytes)
      throw conversationFull(id);
    grow.run(items.length, bytes, now(), conversation.key);
    for (const [index, item] of items.entries()) insert.run(conversation.key, conversation.items + index, item.id, item.text);
    return true;
  };
}

type Conversations = Pick<Store, "createConversation" | "getConversation" | "updateConversation" | "deleteConversation">;

export function conversations({ database, transactions, limits, now }: Engine, addItems: AddItems): Conversations {
  const find = database.prepare<Row>(byOwner);
  const insert = database.prepare(
    `INSERT INTO conversations (id, owner, created_at, used_at, items, bytes, metadata) VALUES (?, ?, ?, ?, 0, 0, ?)`,
  );
  const isTaken = database.prepare("SELECT 1 FROM conversations WHERE id = ?");
  const update = database.prepare("UPDATE conversations SET metadata = ? WHERE key = ?");
  const remove = database.prepare("DELETE FROM conversations WHERE id = ? AND owner = ?");
  return {
    createConversation: async ({ id, owner, created_at, metadata }, items) => {
      checkIds({ conversation: id, owner });
      const texts = itemTexts(items);
      await transactions.write(() => {
        if (isTaken.get(id)) throw taken("conversation", id);
        if (texts.length > limits.conversationItems || sizeOf(texts) > limits.conversationBytes) throw conversationFull(id);
        insert.run(id, owner, created_at, now(), JSON.stringify(metadata));
        addItems(id, owner, texts);
      });
    },
    getConversation: (id, owner) =>
      transactions.read(() => {
        const row = isStorableId(id) ? find.get(id, owner) : undefined;
        return row && conversationFrom(row);
      }),
    updateConversation: async (id, owner, metadata) =>
      isStorableId(id)
        ? transactions.write(() => {
            const row = find.get(id, owner);
            if (!row) return undefined;
            update.run(JSON.stringify(metadata), row.key);
            return { ...conversationFrom(row), metadata };
          })
        : undefined,
    deleteConversation: async (id, owner) =>
      isStorableId(id) && (await transactions.write(() => Number(remove.run(id, owner).changes) > 0)),
  };
}

type Items = Pick<Store, "addItems" | "getItem" | "listItems" | "deleteItem">;

export function items({ database, transactions }: Engine, addItems: AddItems): Items {
  const find = database.prepare<Row>(byOwner);
  const get = database.prepare<{ position: number; item: string }>(
    "SELECT position, item FROM items WHERE conversation = ? AND id = ?",
  );
  const list = (where: string, order: string) =>
    database.prepare<{ item: string }>(
      `SELECT item FROM items WHERE conversation = ? AND position ${where} ? ORDER BY position ${order} LIMIT ?`,
    );
  const lists = {
    asc: { statement: list(">", "ASC"), start: -1 },
    desc: { statement: list("<", "DESC"), start: Number.MAX_SAFE_INTEGER },
  };
  const remove = database.prepare("DELETE FROM items WHERE conversation = ? AND id = ?");
  const shrink = database.prepare("UPDATE conversations SET bytes = bytes - ? WHERE key = ?");
  const read = (conversation: number, { after, limit, order }: Page): { items: InputItem[]; more: boolean } => {
    const { statement, start } = lists[order];
    const from = after === undefined ? start : isStorableId(after) ? get.get(conversation, after)?.position : undefined;
    if (from === undefined) throw noSuchItem(after ?? "");
    const rows = statement.all(conversation, from, limit + 1);
    return { items: rows.slice(0, limit).map(({ item }) => itemFrom(item)), more: rows.length > limit };
  };
  return {
    addItems: async (conversation, owner, items) => {
      const texts = itemTexts(items);
      return isStorableId(conversation) && (await transactions.write(() => addItems(conversation, owner, texts)));
    },
    getItem: (conversation, owner, item) =>
      transactions.read(() => {
        if (!isStorableId(conversation) || !isStorableId(item)) return undefined;
        const row = find.get(conversation, owner);
        const found = row && get.get(row.key, item);
        return found && itemFrom(found.item);
      }),
    listItems: (conversation, owner, page) =>
      transactions.read(() => {
        const row = isStorableId(conversation) ? find.get(conversation, owner) : undefined;
        return row && read(row.key, page);
      }),
    deleteItem: async (conversation, owner, item) =>
      isStorableId(conversation) &&
      isStorableId(item) &&
      (await transactions.write(() => {
        const row = find.get(conversation, owner);
        const found = row && get.get(row.key, item);
        if (!row || !found) return false;
        shrink.run(sizeOf([{ id: item, text: found.item }]), row.key);
        return Number(remove.run(row.key, item).changes) > 0;
      })),
  };
}
