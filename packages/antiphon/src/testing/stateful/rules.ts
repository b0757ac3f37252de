import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem } from "../../model/index.ts";
import { closes, opens } from "../../conversation/call-pairs.ts";
import { idOf, itemsOf, type StatefulMemory } from "./memory.ts";
import { refusals } from "./refuse.ts";

/** Returns the whole conversation of a request. Throws what a server rejects about it; `encrypts`: one that encrypts reasoning. */
export function checkedContext(request: CreateResponse, memory: StatefulMemory, encrypts: boolean): InputItem[] {
  const chain = request.previous_response_id ? memory.chain(request.previous_response_id) : [];
  const given = itemsOf(request);
  given.forEach((item, index) => {
    checkFields(item, index);
    if (encrypts && request.store === false) checkSealed(item);
    checkItem(item, request, memory);
  });
  const input = given.map((item) => memory.referred(item));
  checkIds(chain, input);
  checkCalls(chain, input);
  input.forEach((item, index) => checkReasoning(item, input[index + 1], memory));
  checkFollowers(input, memory);
  return [...chain, ...input];
}

const idOfCall = (pair: string): string => pair.slice(pair.indexOf(" ") + 1);

// Fields that a response has and a request has not.
const unknownFields: Readonly<Record<string, readonly string[]>> = {
  reasoning: ["status"],
  image_generation_call: ["action"],
  function_call: ["parsed_arguments"],
};

function checkFields(item: InputItem, index: number): void {
  const unknown = unknownFields[inputType(item)]?.find((field) => Reflect.has(item, field));
  if (unknown) throw refusals["field-unknown"](`input[${index}].${unknown}`);
}

const prefixes: Readonly<Record<string, string>> = {
  web_search_call: "ws",
  reasoning: "rs",
  function_call: "fc",
  message: "msg",
};

/** What can be said of an item by itself: its id, its blob. */
function checkItem(item: InputItem, { store }: CreateResponse, memory: StatefulMemory): void {
  const type = inputType(item);
  const id = idOf(item);
  const blob: unknown = Reflect.get(item, "encrypted_content");
  if (typeof blob === "string" && blob !== "") {
    if (!memory.isOwn(blob, id)) throw refusals["blob-unreadable"](id ?? "");
    return;
  }
  if (id === undefined) return;
  const prefix = prefixes[type];
  if (prefix && !id.startsWith(prefix)) throw refusals["id-malformed"](id);
  const mustBeKept = type === "item_reference" || type === "reasoning" || type === "message" || opens(item) !== undefined;
  if (mustBeKept && !memory.item(id)) throw refusals[store === false ? "item-unsaved" : "item-unknown"](id);
}

/**
 * Rejects reasoning that the model could not read where nothing is stored: a summary is for people. Raw text passes, since
 * only servers that do not encrypt reasoning write it.
 */
function checkSealed(item: InputItem): void {
  if (inputType(item) !== "reasoning" || idOf(item) !== undefined) return;
  const [blob, content]: unknown[] = [Reflect.get(item, "encrypted_content"), Reflect.get(item, "content")];
  const isReadable = Boolean(blob) || (Array.isArray(content) && content.length > 0);
  if (!isReadable) throw refusals["reasoning-unsaved"]();
}

function checkIds(chain: readonly InputItem[], input: readonly InputItem[]): void {
  const seen = new Set(chain.flatMap((item) => idOf(item) ?? []));
  for (const item of input) {
    const id = idOf(item);
    if (id === undefined) continue;
    if (seen.has(id)) throw refusals["item-doubled"](id);
    seen.add(id);
  }
}

/** Every output behind its call, and no call left open: not one of the chain's either. */
function checkCalls(chain: readonly InputItem[], input: readonly InputItem[]): void {
  const made = new Set<string>();
  const open = new Set<string>();
  for (const [at, item] of [...chain, ...input].entries()) {
    const opened = opens(item);
    if (opened !== undefined) {
      if (at >= chain.length && made.has(opened)) throw refusals["item-doubled"](idOfCall(opened));
      made.add(opened);
      open.add(opened);
    }
    const closed = closes(item);
    if (closed === undefined) continue;
    if (!made.has(closed)) throw refusals["output-alone"](idOfCall(closed));
    if (!open.delete(closed)) throw refusals["item-doubled"](idOfCall(closed));
  }
  const [left] = open;
  if (left !== undefined) throw refusals["call-alone"](idOfCall(left));
}

const isModels = (item: InputItem): boolean => {
  if (inputType(item) === "message") return Reflect.get(item, "role") === "assistant";
  return closes(item) === undefined;
};

/** Checks that reasoning is followed by an item of the model's; stored reasoning by the item that follows it in the store. */
function checkReasoning(item: InputItem, next: InputItem | undefined, memory: StatefulMemory): void {
  if (inputType(item) !== "reasoning") return;
  const id = idOf(item) ?? "";
  if (!next || !isModels(next)) throw refusals["reasoning-alone"](id);
  const led = memory.item(id)?.next;
  if (led && idOf(led) !== idOf(next)) throw refusals["reasoning-alone"](id);
}

/** Whoever names an item that reasoning led to must send that reasoning, too. */
function checkFollowers(input: readonly InputItem[], memory: StatefulMemory): void {
  const thoughts = new Set<unknown>();
  for (const item of input) {
    const id = idOf(item);
    if (inputType(item) === "reasoning") thoughts.add(id).add(Reflect.get(item, "encrypted_content"));
    const after = id === undefined ? undefined : memory.item(id)?.after;
    if (id === undefined || !after || inputType(item) === "reasoning") continue;
    const blob: unknown = Reflect.get(after, "encrypted_content");
    if (!thoughts.has(idOf(after)) && !(blob && thoughts.has(blob))) throw refusals["without-reasoning"](id);
  }
}
