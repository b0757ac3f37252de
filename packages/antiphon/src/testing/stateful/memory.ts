import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem, ResponseResource } from "../../model/index.ts";
import { refusals } from "./refuse.ts";

interface Kept {
  previous: string | undefined;
  input: readonly InputItem[];
  output: readonly InputItem[];
  /** Seconds since 1970. */
  until: number;
}

/** A request's input as items. */
export const itemsOf = ({ input }: CreateResponse): InputItem[] =>
  typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);

/** The id of an item, where it has one of its own: a local shell's output bears its call's. */
export const idOf = (item: InputItem): string | undefined =>
  inputType(item) !== "local_shell_call_output" && typeof item.id === "string" ? item.id : undefined;

/** All that a server knows: responses that it keeps, their items, and the blobs that it made. */
export class StatefulMemory {
  readonly #responses = new Map<string, Kept>();
  /** The items of kept responses, each with the reasoning that led to it and what it led to itself. */
  readonly #items = new Map<string, { item: InputItem; after: InputItem | undefined; next: InputItem | undefined; in: string }>();
  /** Blobs by what they hold, with the id of the item that each belongs to. */
  readonly #blobs = new Map<string, string>();
  readonly #now: () => number;
  readonly #retention: number;

  constructor(now: () => number, retention: number) {
    this.#now = now;
    this.#retention = retention;
  }

  /** Everything up to and with a response, oldest first. */
  chain(id: string): InputItem[] {
    const stretches: (readonly InputItem[])[] = [];
    for (let at: string | undefined = id; at !== undefined;) {
      const kept = this.#responses.get(at);
      if (!kept || kept.until <= this.#now()) throw refusals["previous-unknown"](id);
      stretches.push(kept.output, kept.input);
      at = kept.previous;
    }
    return stretches.toReversed().flat();
  }

  /** An item of a response that is still kept. */
  item(id: string) {
    const known = this.#items.get(id);
    const kept = known && this.#responses.get(known.in);
    return kept && kept.until > this.#now() ? known : undefined;
  }

  /** What a reference stands for; any other item stands for itself. */
  referred(item: InputItem): InputItem {
    return inputType(item) === "item_reference" ? (this.item(idOf(item) ?? "")?.item ?? item) : item;
  }

  /** Whether a blob was made here, for an item with this id if it has one. */
  isOwn(blob: string, id: string | undefined): boolean {
    const made = this.#blobs.get(blob);
    return made !== undefined && (id === undefined || made === id);
  }

  /** Takes note of an answer: of its blobs always, of the rest where it is to be stored. */
  keep(request: CreateResponse, { id, output, status, store }: ResponseResource): void {
    for (const item of output) {
      const blob: unknown = Reflect.get(item, "encrypted_content");
      if (typeof blob === "string") this.#blobs.set(blob, item.id);
    }
    if (!store || status === "failed") return;
    const until = this.#now() + this.#retention;
    const input = itemsOf(request).map((item) => this.referred(item));
    this.#responses.set(id, { previous: request.previous_response_id ?? undefined, input, output, until });
    output.forEach((item, at) => {
      const after = output.slice(0, at).findLast(({ type }) => type === "reasoning");
      this.#items.set(item.id, { item, after, next: output[at + 1], in: id });
    });
  }

  /** Forgets a response, or all. */
  forget(id?: string): void {
    if (id === undefined) this.#responses.clear();
    else this.#responses.delete(id);
  }

  /** Blobs made so far cannot be read any more. */
  rekey(): void {
    this.#blobs.clear();
  }
}
