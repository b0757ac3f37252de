import type { LogRecord, SessionStore } from "../conversation/log-records.ts";
import { AntiphonError } from "../core/error.ts";
import { checkArgument } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { InputItem } from "../model/index.ts";
import type { Journal } from "./loop/run-options.ts";

const isConflict = (error: unknown): boolean => error instanceof AntiphonError && error.vendorCode === "session_conflict";

const claimed = "antiphon:claimed";
const settled = "antiphon:settled";

/**
 * Creates a journal in a session store. No call runs twice, even if the process is killed or another process resumes
 * the run. It is a session of its own: exactly one writer gets each place in it.
 *
 * @example
 * const journal = sessionJournal(fileSessions("sessions"), "support-17:calls");
 */
export function sessionJournal(store: SessionStore, id: string): Journal {
  checkArgument("sessionJournal", "a session store", isObject(store) && "append" in store, store);
  checkArgument("sessionJournal", "an id after the store", typeof id === "string", id);
  const journal = new SessionJournal(store, id);
  return {
    claim: (call_id) => journal.claim(call_id),
    settle: (call_id, output) => journal.settle(call_id, output),
  };
}

class SessionJournal {
  readonly #store: SessionStore;
  readonly #id: string;
  readonly #calls = new Map<string, InputItem | undefined>();
  #count: number | undefined;
  /** One after the other: each append must know how many records there are. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: SessionStore, id: string) {
    this.#store = store;
    this.#id = id;
  }

  claim(call_id: string): Promise<"run" | "taken" | { output: InputItem }> {
    return this.#next(async () => {
      for (;;) {
        if (this.#count === undefined) await this.#load();
        const output = this.#calls.get(call_id);
        if (output) return { output };
        if (this.#calls.has(call_id)) return "taken";
        if (await this.#append({ type: claimed, id: call_id })) return "run";
      }
    });
  }

  settle(call_id: string, output: InputItem): Promise<void> {
    return this.#next(async () => {
      do if (this.#count === undefined) await this.#load();
      while (!(await this.#append({ type: settled, id: call_id, output })));
    });
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #load(): Promise<void> {
    const json = await this.#store.load(this.#id);
    this.#count = json?.records.length ?? 0;
    for (const record of json?.records ?? []) this.#take(record);
  }

  /** Whether the note was taken; if another process was faster, its notes must be read first. */
  async #append(item: InputItem): Promise<boolean> {
    const record: LogRecord = { type: "entry", entry: { item } };
    const at = this.#count ?? 0;
    // Whatever goes wrong, what the store holds is not known any more.
    this.#count = undefined;
    try {
      await this.#store.append(this.#id, at, [record]);
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
    this.#count = at + 1;
    this.#take(record);
    return true;
  }

  #take(record: LogRecord): void {
    if (record.type !== "entry") return;
    const { type, id, output } = record.entry.item as { type: string; id: string; output?: InputItem };
    if (type === claimed && !this.#calls.has(id)) this.#calls.set(id, undefined);
    if (type === settled) this.#calls.set(id, output);
  }
}
