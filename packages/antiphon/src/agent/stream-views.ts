import { PartialJson } from "../core/partial-json.ts";
import { Unrolled } from "../core/unrolled.ts";
import type { Item, ResponseEvent } from "../model/index.ts";

type Batches = AsyncIterator<ResponseEvent[]>;

/** What a view shows of a batch. Made anew for every reader, since most remember where they are. */
export type Lens<T> = (batch: readonly ResponseEvent[]) => T[];

/** One way to look at a stream; each loop over it starts at the beginning. */
export class View<T> implements AsyncIterable<T> {
  readonly #read: () => Batches;
  readonly #lens: () => Lens<T> | Promise<Lens<T>>;
  readonly #ended: () => Promise<unknown>;

  /** `ended` is asked when all is read: what it throws, the reader gets. */
  constructor(read: () => Batches, lens: () => Lens<T> | Promise<Lens<T>>, ended: () => Promise<unknown>) {
    this.#read = read;
    this.#lens = lens;
    this.#ended = ended;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    const batches = this.#read();
    let lens: Lens<T> | undefined;
    return new Unrolled({
      next: async () => {
        const { done, value } = await batches.next();
        if (done) {
          await this.#ended();
          return { done: true, value: undefined };
        }
        lens ??= await this.#lens();
        return { done: false, value: lens(value) };
      },
      return: async () => {
        await batches.return?.();
        return { done: true, value: undefined };
      },
    });
  }
}

const gap = "\n\n";

/** The text for the user, all that a batch brings at once. A blank line parts what was said before and after a tool was used. */
export function textLens(): Lens<string> {
  let said = false;
  let parted = false;
  return (batch) => {
    let text = "";
    for (const event of batch) {
      if (event.type === "response.output_text.delta") {
        if (parted && event.delta) text += gap;
        parted &&= event.delta === "";
        text += event.delta;
      } else if (event.type === "antiphon:step") parted = said || text !== "";
    }
    said ||= text !== "";
    return text ? [text] : [];
  };
}

/** What the model thinks, all that a batch brings at once; of an item that tells both, what it tells first: raw or summary. */
export function thinkingLens(): Lens<string> {
  let item = -1;
  let kind = "";
  let part = -1;
  return (batch) => {
    let text = "";
    for (const event of batch) {
      const isRaw = event.type === "response.reasoning.delta";
      if (!isRaw && event.type !== "response.reasoning_summary_text.delta") continue;
      const index = isRaw ? event.content_index : event.summary_index;
      const isNew = event.output_index !== item;
      if (!isNew && event.type !== kind) continue;
      if (item !== -1 && (isNew || index !== part)) text += gap;
      item = event.output_index;
      kind = event.type;
      part = index;
      text += event.delta;
    }
    return text ? [text] : [];
  };
}

/** Items, each when it is final. */
export const itemLens = (): Lens<Item> => (batch) =>
  batch.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));

/**
 * The value that the JSON of the newest message stands for, as far as it has come: once a batch, and always the same object, which
 * grows. A message before a tool call, and an answer that is asked for again, are forgotten when the next message begins.
 */
export function partialLens(unwrap: (value: unknown) => unknown): Lens<unknown> {
  let json = new PartialJson();
  let begun = false;
  let message = -1;
  return (batch) => {
    let changed = false;
    for (const event of batch) {
      if (event.type === "response.output_item.added" && event.item.type === "message") {
        json = new PartialJson();
        begun = false;
        changed = false;
        message = event.output_index;
      } else if (event.type === "response.output_text.delta" && event.output_index === message) {
        // Models that cannot be held to JSON may write a sentence or a fence before it.
        const start = begun ? 0 : event.delta.indexOf("{");
        if (start === -1) continue;
        begun = true;
        if (json.state === "complete" || json.state === "broken") continue;
        json.push(start === 0 ? event.delta : event.delta.slice(start));
        changed = true;
      }
    }
    const value = changed ? unwrap(json.value) : undefined;
    return value === undefined ? [] : [value];
  };
}
