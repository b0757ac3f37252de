import { AntiphonError, type InputItem } from "antiphon";
import type { Context } from "../context.ts";
import { json, type Exchange, type Routes } from "../http/exchange.ts";
import { notFound, type Face } from "../http/faces.ts";
import { listOf, pageOf } from "../http/pages.ts";
import { readJson } from "../http/read-json.ts";
import { withIds } from "../runs/job.ts";
import { metadataIn } from "../runs/metadata.ts";
import { checkRequestUrls } from "../security/request-urls.ts";
import { isStorableId } from "../store/limits.ts";
import type { StoredConversation } from "../store/store.ts";
import { guarded, type CallerHandler } from "./guarded.ts";
import { shownItem } from "./shown-items.ts";

const shown = ({ id, created_at, metadata }: StoredConversation): object => ({
  id,
  object: "conversation",
  created_at: Math.floor(created_at / 1000),
  metadata,
});

/** The routes of conversations below a prefix. */
export function conversations(context: Context, face: Face, prefix: string): Routes {
  const { store, limits, newId } = context;
  const route = (handler: CallerHandler) => guarded(context, face, handler);
  const body = (exchange: Exchange) => readJson(exchange, limits.maxBodyBytes);
  /** The items in a body, as the face reads them. */
  const itemsIn = (items: unknown): InputItem[] => {
    const { input } = face.codec.decodeRequest({ input: items ?? [] });
    if (!Array.isArray(input)) throw new AntiphonError("BAD_REQUEST", "`items` must be a list of items.", { param: "items" });
    // A later request brings them to a model without being asked about them again.
    checkRequestUrls({ input }, context.urlGuard);
    return withIds(input, newId).map(shownItem);
  };
  const one = `${prefix}/conversations/:id`;
  return {
    [`POST ${prefix}/conversations`]: route(async (exchange, _, { owner }) => {
      const { items, metadata } = await body(exchange);
      const made: StoredConversation = { id: newId("conv"), owner, created_at: Date.now(), metadata: metadataIn(metadata) ?? {} };
      await store.createConversation(made, itemsIn(items));
      return json(200, shown(made));
    }),
    [`GET ${one}`]: route(async (_, { id = "" }, { owner }) =>
      json(200, shown(there(id, isStorableId(id) && (await store.getConversation(id, owner))))),
    ),
    [`POST ${one}`]: route(async (exchange, { id = "" }, { owner }) => {
      const metadata = metadataIn((await body(exchange))["metadata"]);
      if (!metadata) throw new AntiphonError("BAD_REQUEST", "`metadata` is required.", { param: "metadata" });
      return json(200, shown(there(id, isStorableId(id) && (await store.updateConversation(id, owner, metadata)))));
    }),
    [`DELETE ${one}`]: route(async (_, { id = "" }, { owner }) => {
      there(id, isStorableId(id) && (await store.deleteConversation(id, owner)));
      return json(200, { id, object: "conversation.deleted", deleted: true });
    }),
    [`POST ${one}/items`]: route(async (exchange, { id = "" }, { owner }) => {
      const items = itemsIn((await body(exchange))["items"]);
      there(id, isStorableId(id) && (await store.addItems(id, owner, items)));
      return json(200, listOf(items, false));
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
