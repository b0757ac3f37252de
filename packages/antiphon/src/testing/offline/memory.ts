import { AntiphonError } from "../../core/error.ts";
import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../../model/index.ts";

/** Stored responses by id: everything that was said up to and with each. */
export type OfflineStore = Map<string, InputItem[]>;

const kept = 1_000;

/** Remembers responses, so that `previous_response_id` works. */
export interface Memory {
  /** The whole conversation of a request, with what it refers to. */
  recall(request: CreateResponse): InputItem[];
  /** Keeps a finished response, unless the request forbids it. */
  keep(request: CreateResponse, items: readonly InputItem[], response: ResponseResource): void;
}

/** A memory in a store of the caller's, or in one of its own that forgets the oldest beyond 1,000 responses. */
export function createMemory(given?: OfflineStore): Memory {
  const store: OfflineStore = given ?? new Map();
  return {
    recall(request) {
      const before = request.previous_response_id ? chain(store, request.previous_response_id) : [];
      return [...before, ...inputItems(request).map((item) => (isReference(item) ? itemById(store, item.id) : item))];
    },
    keep(request, items, response) {
      if (request.store === false || response.status === "failed") return;
      if (response.incomplete_details?.reason === "cancelled") return;
      store.set(response.id, [...items, ...response.output]);
      const [oldest] = store.keys();
      if (!given && store.size > kept && oldest !== undefined) store.delete(oldest);
    },
  };
}

function inputItems({ input }: CreateResponse): InputItem[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return input ?? [];
}

const isReference = (item: InputItem): item is InputItem & { id: string } => inputType(item) === "item_reference";

function chain(store: OfflineStore, id: string): InputItem[] {
  const items = store.get(id);
  if (items) return items;
  throw new AntiphonError("CHAIN_NOT_FOUND", `Previous response with id '${id}' not found.`, {
    provider: "offline",
    status: 400,
    param: "previous_response_id",
    vendorCode: "previous_response_not_found",
  });
}

function itemById(store: OfflineStore, id: string): InputItem {
  for (const items of store.values()) {
    const found = items.find((item) => "id" in item && item.id === id);
    if (found) return found;
  }
  throw new AntiphonError("NOT_FOUND", `Item with id '${id}' not found.`, { provider: "offline", status: 404, param: "input" });
}
