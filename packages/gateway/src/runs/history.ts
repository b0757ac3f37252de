import { AntiphonError, inputType, type CreateResponse, type InputItem } from "antiphon";
import { notFound } from "../http/faces.ts";
import type { Limits } from "../limits.ts";
import { isStorableId } from "../store/limits.ts";
import type { Store } from "../store/store.ts";
import { conversationOf } from "./present.ts";

/** The items that a request stands for. */
export interface History {
  /** What came before. */
  earlier: InputItem[];
  /** What the request itself brought. */
  own: InputItem[];
}

const asItems = (input: CreateResponse["input"]): InputItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);

/** Where earlier items are found. */
export interface Sources {
  store: Store;
  owner: string;
  limits: Limits;
  /** The items up to a response that only the connection knows; `null` where nothing but the connection may be asked. */
  recall?(id: string): InputItem[] | null | undefined;
}

/** The items of a request's chain or conversation, and its own, with references filled in. All that is wrong with them is thrown here. */
export async function historyOf(request: CreateResponse, sources: Sources): Promise<History> {
  const { limits } = sources;
  const previous = request.previous_response_id ?? null;
  const conversation = conversationOf(request);
  if (previous !== null && conversation !== null)
    throw new AntiphonError("BAD_REQUEST", "Use either `previous_response_id` or `conversation`, not both.", {
      param: "conversation",
    });
  const earlier = await earlierOf(previous, conversation, sources);
  const written = asItems(request.input);
  if (earlier.length + written.length > limits.maxItems)
    throw new AntiphonError("BAD_REQUEST", `The input and the history have more than ${limits.maxItems} items together.`, {
      param: "input",
    });
  const own = fillReferences(written, earlier);
  checkCalls(earlier, own);
  return { earlier, own };
}

async function earlierOf(previous: string | null, conversation: string | null, sources: Sources): Promise<InputItem[]> {
  if (previous !== null) return chainOf(previous, sources);
  return conversation === null ? [] : itemsOf(conversation, sources);
}

/** What is said of a chain that is not there, or is somebody else's. */
const chainNotFound = (message: string): AntiphonError =>
  new AntiphonError("CHAIN_NOT_FOUND", message, {
    status: 400,
    param: "previous_response_id",
    vendorCode: "previous_response_not_found",
  });

async function chainOf(id: string, { store, owner, limits: { maxChain }, recall }: Sources): Promise<InputItem[]> {
  const recalled = recall?.(id);
  if (recalled) return recalled;
  const mayBeStored = isStorableId(id) && recalled !== null;
  const turns = mayBeStored ? await store.getChain(id, owner, maxChain) : undefined;
  if (!turns) {
    const stands = mayBeStored && (await store.getResponse(id, owner)) !== undefined;
    const what = stands ? "continues a response that was deleted" : "not found";
    throw chainNotFound(`Previous response with id '${id.slice(0, 100)}' ${what}.`);
  }
  const last = turns.at(-1);
  if (last?.status === "queued" || last?.status === "in_progress")
    throw new AntiphonError("BAD_REQUEST", "The previous response is still in progress. Wait until it ends, or cancel it.", {
      param: "previous_response_id",
    });
  return turns.flatMap(({ input, output }) => [...input, ...output]);
}

async function itemsOf(id: string, { store, owner, limits: { maxItems } }: Sources): Promise<InputItem[]> {
  const page = isStorableId(id) ? await store.listItems(id, owner, { limit: maxItems, order: "asc" }) : undefined;
  if (!page) throw notFound("conversation", id).with({ param: "conversation" });
  return page.items;
}

/** Puts the items themselves in the place of references to them. */
function fillReferences(own: InputItem[], earlier: readonly InputItem[]): InputItem[] {
  if (!own.some(isReference)) return own;
  const known = new Map(
    [...earlier, ...own].flatMap((item) => (item.id && !isReference(item) ? [[item.id, item] as const] : [])),
  );
  // An item that is there already needs no second copy.
  const there = new Set(earlier.map(({ id }) => id));
  return own.flatMap((item) => {
    if (!isReference(item)) return [item];
    const found = known.get(item.id);
    if (!found) throw notFound("item", item.id).with({ param: "input" });
    return there.has(item.id) ? [] : [found];
  });
}

const isReference = (item: InputItem): item is { type: "item_reference"; id: string } => inputType(item) === "item_reference";

const callIdOf = (item: InputItem): string | undefined => {
  const { call_id } = item as { call_id?: unknown };
  return typeof call_id === "string" ? call_id : undefined;
};

/** Calls that the client answers; other calls were dealt with where they were made. */
const clientCalls: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);
const isOutput = ({ type }: InputItem): boolean => type?.endsWith("_call_output") === true;
const isCall = ({ type }: InputItem): boolean => type?.endsWith("_call") === true;

/** Every output answers a call, and every call is answered: models behind other wires would be confused, or refuse with words of their own. */
function checkCalls(earlier: readonly InputItem[], own: readonly InputItem[]): void {
  const calls = new Set<string>();
  const open = new Set<string>();
  for (const items of [earlier, own])
    for (const item of items) {
      const id = callIdOf(item);
      if (id === undefined) continue;
      if (isCall(item)) {
        calls.add(id);
        if (clientCalls.has(item.type)) open.add(id);
      } else if (isOutput(item)) {
        if (!calls.has(id)) throw badInput(`No tool call found for the output with call_id ${id.slice(0, 100)}.`);
        open.delete(id);
      }
    }
  const [unanswered] = open;
  if (unanswered !== undefined) throw badInput(`No tool output found for the call with call_id ${unanswered.slice(0, 100)}.`);
}

const badInput = (message: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param: "input" });
