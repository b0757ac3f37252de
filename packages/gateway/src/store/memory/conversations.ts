import { conversationFull, noSuchItem, taken } from "../failures.ts";
import { bytesOf, checkIds, itemTexts, sizeOf, type ItemText } from "../limits.ts";
import type { Page, Store } from "../store.ts";
import { conversationFrom, itemFrom } from "../texts.ts";
import type { MemoryConversation, MemoryEngine } from "./engine.ts";

/** Adds items to a conversation; `false` where there is none. */
export type AddItems = (conversation: string, owner: string, items: readonly ItemText[]) => boolean;

type Find = (id: string, owner: string) => MemoryConversation | undefined;

const finder =
  ({ conversations }: MemoryEngine): Find =>
  (id, owner) => {
    const found = conversations.get(id);
    return found?.owner === owner ? found : undefined;
  };

export function itemAdder(engine: MemoryEngine): AddItems {
  const { shelf, limits, now } = engine;
  const find = finder(engine);
  return (id, owner, items) => {
    const found = find(id, owner);
    if (!found) return false;
    const bytes = found.bytes + sizeOf(items);
    if (found.taken + items.length > limits.conversationItems || bytes > limits.conversationBytes) throw conversationFull(id);
    found.taken += items.length;
    found.bytes = bytes;
    found.used_at = now();
    for (const { id, text } of items) if (!found.items.has(id)) found.items.set(id, text);
    shelf.put(found.kept);
    return true;
  };
}

type Conversations = Pick<Store, "createConversation" | "getConversation" | "updateConversation" | "deleteConversation">;

export function conversations(engine: MemoryEngine, addItems: AddItems): Conversations {
  const { conversations: all, shelf, now } = engine;
  const find = finder(engine);
  return {
    createConversation: async ({ id, owner, created_at, metadata }, items) => {
      checkIds({ conversation: id, owner });
      if (all.has(id)) throw taken("conversation", id);
      const texts = itemTexts(items);
      const row = { id, owner, created_at, metadata: JSON.stringify(metadata) };
      const kept = { bytes: () => made.metadata.length + made.bytes, inUse: () => false, drop: () => all.delete(id) };
      const made: MemoryConversation = { ...row, used_at: now(), taken: 0, bytes: 0, items: new Map(), kept };
      all.set(id, made);
      try {
        addItems(id, owner, texts);
      } catch (thrown) {
        all.delete(id);
        throw thrown;
      }
    },
    getConversation: async (id, owner) => {
      const found = find(id, owner);
      return found && conversationFrom(found);
    },
    updateConversation: async (id, owner, metadata) => {
      const found = find(id, owner);
      if (found) found.metadata = JSON.stringify(metadata);
      return found && conversationFrom(found);
    },
    deleteConversation: async (id, owner) => {
      const found = find(id, owner);
      if (found) shelf.remove(found.kept);
      return found !== undefined && all.delete(id);
    },
  };
}

type Items = Pick<Store, "addItems" | "getItem" | "listItems" | "deleteItem">;

export function items(engine: MemoryEngine, addItems: AddItems): Items {
  const find = finder(engine);
  return {
    addItems: async (conversation, owner, items) => addItems(conversation, owner, itemTexts(items)),
    getItem: async (conversation, owner, item) => {
      const text = find(conversation, owner)?.items.get(item);
      return text === undefined ? undefined : itemFrom(text);
    },
    listItems: async (conversation, owner, page) => {
      const found = find(conversation, owner);
      return found && pageOf(found, page);
    },
    deleteItem: async (conversation, owner, item) => {
      const found = find(conversation, owner);
      const text = found?.items.get(item);
      if (!found || text === undefined) return false;
      found.bytes -= bytesOf(text);
      return found.items.delete(item);
    },
  };
}

function pageOf(
  { items }: MemoryConversation,
  { after, limit, order }: Page,
): NonNullable<Awaited<ReturnType<Store["listItems"]>>> {
  const ids = order === "asc" ? [...items.keys()] : [...items.keys()].toReversed();
  if (after !== undefined && !items.has(after)) throw noSuchItem(after);
  const from = after === undefined ? 0 : ids.indexOf(after) + 1;
  const wanted = ids.slice(from, from + limit);
  return { items: wanted.map((id) => itemFrom(items.get(id) ?? "")), more: ids.length > from + limit };
}
