import { AntiphonError } from "antiphon";
import type { Page } from "../store/store.ts";

const mostItems = 100;
const usualItems = 20;

/** The stretch of a list that a query asks for: `after`, `limit` and `order`. */
export function pageOf(query: URLSearchParams, order: Page["order"]): Page {
  const limit = Number(query.get("limit") ?? usualItems);
  if (!Number.isInteger(limit) || limit < 1 || limit > mostItems)
    throw new AntiphonError("BAD_REQUEST", `\`limit\` must be a whole number from 1 to ${mostItems}.`, { param: "limit" });
  const asked = query.get("order") ?? order;
  if (asked !== "asc" && asked !== "desc")
    throw new AntiphonError("BAD_REQUEST", "`order` must be `asc` or `desc`.", { param: "order" });
  const after = query.get("after");
  return after === null ? { limit, order: asked } : { after, limit, order: asked };
}

/** A list as clients page through it. */
export const listOf = <T extends { id?: string | null }>(data: readonly T[], more: boolean): object => ({
  object: "list",
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: more,
});

/** A stretch of a list that is at hand as a whole. */
export function paged<T extends { id?: string | null }>(all: readonly T[], { after, limit, order }: Page): object {
  const ordered = order === "asc" ? all : all.toReversed();
  const from = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0)
    throw new AntiphonError("BAD_REQUEST", "`after` must be the id of an item in this list.", { param: "after" });
  return listOf(ordered.slice(from, from + limit), ordered.length > from + limit);
}
