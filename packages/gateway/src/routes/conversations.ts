import type { InputItem } from "antiphon";
import type { Context } from "../context.ts";
import { json, type Routes } from "../http/exchange.ts";
import { notFound, type Face } from "../http/faces.ts";
import { lossHeaders } from "../http/losses.ts";
import { listOf, pageOf } from "../http/pages.ts";
import { withIds } from "../runs/job.ts";
import { checkRequestUrls } from "../security/request-urls.ts";
import { isStorableId } from "../store/limits.ts";
import type { StoredConversation } from "../store/store.ts";
import { guarded, type CallerHandler } from "./guarded.ts";
import { bodyReader } from "./read-body.ts";
import { shownItem } from "./shown-items.ts";

type Metadata = StoredConversation["metadata"];

const shown = ({ id, created_at, metadata }: StoredConversation): object => ({
  id,
  object: "conversation",
  created_at: Math.floor(created_at / 1000),
  metadata,
});

/** The routes of conversations below a prefix. */
export function conversations(context: Context, face: Face, prefix: string): Routes {
  const { store, newId } = context;
  const route = (handler: CallerHandler) => guarded(context, face, handler);
  /** The items of a body that matches its schema, as the client API reads them. */
  const itemsIn = (items: unknown): InputItem[] => {
    const { input } = face.codec.decodeRequest({ input: items ?? [] });
    // A later request sends them to a model, and does not check them again.
    checkRequestUrls({ input }, context.urlGuard);
    return Array.isArray(input) ? withIds(input, newId).map(shownItem) : [];
  };
  const all = `${prefix}/conversations`;
  const one = `${all}/:id`;
  const readNew = bodyReader(context, `POST ${all}`);
  const readChanges = bodyReader(context, `POST ${one}`);
  const readItems = bodyReader(context, `POST ${one}/items`);
  return {
    [`POST ${all}`]: route(async (exchange, _, { owner }) => {
      const { body, unread } = await readNew(exchange);
      // The schema was checked, here and below.
      const metadata = (body["metadata"] ?? {}) as Metadata;
      const made: StoredConversation = { id: newId("conv"), owner, created_at: Date.now(), metadata };
      await store.createConversation(made, itemsIn(body["items"]));
      return json(200, shown(made), lossHeaders(unread));
    }),
    [`GET ${one}`]: route(async (_, { id = "" }, { owner }) =>
      json(200, shown(there(id, isStorableId(id) && (await store.getConversation(id, owner))))),
    ),
    [`POST ${one}`]: route(async (exchange, { id = "" }, { owner }) => {
      const { body, unread } = await readChanges(exchange);
      const metadata = body["metadata"] as Metadata;
      const changed = there(id, isStorableId(id) && (await store.updateConversation(id, owner, metadata)));
      return json(200, shown(changed), lossHeaders(unread));
    }),
    [`DELETE ${one}`]: route(async (_, { id = "" }, { owner }) => {
      there(id, isStorableId(id) && (await store.deleteConversation(id, owner)));
      return json(200, { id, object: "conversation.deleted", deleted: true });
    }),
    [`POST ${one}/items`]: route(async (exchange, { id = "" }, { owner }) => {
      const { body, unread } = await readItems(exchange);
      const items = itemsIn(body["items"]);
      there(id, isStorableId(id) && (await store.addItems(id, owner, items)));
      return json(200, listOf(items, false), lossHeaders(unread));
    }),
    [`GET ${one}/items`]: route(async ({ query }, { id = "" }, { owner }) => {
      const page = there(id, isStorableId(id) && (await store.listItems(id, owner, pageOf(query, "desc"))));
      return json(200, listOf(page.items.map(shownItem), page.more));
    }),
    [`GET ${one}/items/:item`]: route(async (_, { id = "", item = "" }, { owner }) => {
      const found = isStorableId(id) && isStorableId(item) && (await store.getItem(id, owner, item));
      if (!found) throw notFound("item", item);
      return json(200, shownItem(found));
    }),
    [`DELETE ${one}/items/:item`]: route(async (_, { id = "", item = "" }, { owner }) => {
      const conversation = there(id, isStorableId(id) && (await store.getConversation(id, owner)));
      if (!isStorableId(item) || !(await store.deleteItem(id, owner, item))) throw notFound("item", item);
      return json(200, shown(conversation));
    }),
  };
}

/** What was found under the id of a conversation. */
function there<T>(id: string, found: T | undefined | false): T {
  if (found === undefined || found === false) throw notFound("conversation", id);
  return found;
}
