import type { LogRecord, SessionStore } from "../conversation/log-records.ts";
import { AntiphonError } from "../core/error.ts";
import { firstDifference } from "./difference.ts";
import type { Finding } from "./laws.ts";

/** A fresh, empty store. */
export interface StoreUnderTest {
  store: SessionStore;
  /** Opens the same sessions a second time, as another process would; left out by a store that lives in one place only. */
  reopen?(): SessionStore | Promise<SessionStore>;
  close?(): void | Promise<void>;
}

/** One thing that a session store must do. `check` says in a sentence what is wrong, or nothing. */
export interface StoreCase {
  name: string;
  check(): Promise<Finding>;
}

/**
 * Runs the conformance suite for session stores, in any test runner.
 *
 * @example
 * for (const { name, check } of testSessionStore(() => ({ store: memorySessions() })))
 *   test(name, async () => expect(await check()).toBeUndefined());
 */
export function testSessionStore(create: () => StoreUnderTest | Promise<StoreUnderTest>): StoreCase[] {
  return Object.entries(cases).map(([name, run]) => ({ name, check: () => inFreshStore(create, run) }));
}

async function inFreshStore(create: () => StoreUnderTest | Promise<StoreUnderTest>, run: Case): Promise<Finding> {
  const fresh = await create();
  const all: Opened = { store: fresh.store, second: (await fresh.reopen?.()) ?? fresh.store };
  try {
    await run(all);
    return undefined;
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  } finally {
    await fresh.close?.();
  }
}

/** A store, and the same sessions opened again; the store itself where that cannot be done. */
interface Opened {
  store: SessionStore;
  second: SessionStore;
}
type Case = (stores: Opened) => Promise<void>;

class Wrong extends Error {}

const same = (what: string, found: unknown, expected: unknown): void => {
  const path = firstDifference(found, expected);
  if (path) throw new Wrong(`${what} differs at ${path}.`);
};

const records = (...texts: string[]): LogRecord[] =>
  texts.map((content) => ({ type: "entry", entry: { item: { type: "message", role: "user", content } } }));

const textsIn = async (store: SessionStore, id: string): Promise<string[] | undefined> =>
  (await store.load(id))?.records.map((record) =>
    record.type === "entry" && "content" in record.entry.item ? String(record.entry.item.content) : record.type,
  );

/** Holds that an append is refused because the session is not as the writer believes. */
async function conflicts(what: string, appending: Promise<void>): Promise<void> {
  const error: unknown = await appending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) throw new Wrong(`${what} was not rejected.`);
  if (!(error instanceof AntiphonError) || error.vendorCode !== "session_conflict")
    throw new Wrong(`${what} was rejected with ${String(error)} instead of the vendor code session_conflict.`);
}

const everyRecord: LogRecord[] = [
  { type: "entry", entry: { item: { type: "message", role: "user", content: 'Grüße 👋\n\u2028\u0000 "quoted" 漢字' } } },
  {
    type: "entry",
    entry: {
      item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
      origin: { provider: "openai", endpoint: "https://api.example.com/v1", model: "m", response_id: "resp_1", stored: true },
    },
  },
  { type: "entry", entry: { item: { type: "acme:note", id: "note_1", nested: { list: [1, 2.5, null, true, "x"] } } } },
  { type: "compacted", compacted: { to: 2, summary: "They greeted each other." } },
  { type: "restored" },
  { type: "undone", to: 1 },
];

const cases: Readonly<Record<string, Case>> = {
  "returns nothing for a session that was never written": async ({ store }) => {
    same("The loaded session", await store.load("nobody"), undefined);
    same("The list", await store.list(), []);
  },

  "returns every record unchanged and in order": async ({ store, second }) => {
    await store.append("a", 0, everyRecord.slice(0, 2));
    await store.append("a", 2, everyRecord.slice(2));
    const expected = { version: 1, id: "a", records: everyRecord };
    same("The loaded session", await store.load("a"), expected);
    same("The session that another process loads", await second.load("a"), expected);
  },

  "is not changed by changes to objects that were passed in or returned": async ({ store }) => {
    const given = records("one");
    await store.append("a", 0, given);
    given.push(...records("not written"));
    (await store.load("a"))?.records.splice(0);
    same("The loaded session", await textsIn(store, "a"), ["one"]);
  },

  "rejects an append that is not at the end": async ({ store }) => {
    await store.append("a", 0, records("one", "two"));
    await conflicts("An append too early", store.append("a", 1, records("wrong")));
    await conflicts("An append too late", store.append("a", 3, records("wrong")));
    await conflicts("A second first append", store.append("a", 0, records("wrong")));
    await conflicts("An append to a session that does not exist", store.append("b", 1, records("wrong")));
    same("The loaded session", await textsIn(store, "a"), ["one", "two"]);
    await store.append("a", 2, records("three"));
    same("The loaded session", await textsIn(store, "a"), ["one", "two", "three"]);
  },

  "accepts one of two concurrent writers and rejects the other": async ({ store, second }) => {
    await store.append("a", 0, records("one"));
    await second.append("a", 1, records("two"));
    await conflicts("An append of a writer that missed another append", store.append("a", 1, records("also two")));
    await store.append("a", 2, records("three"));
    same("The loaded session", await textsIn(second, "a"), ["one", "two", "three"]);
  },

  "accepts exactly one of many concurrent writers at each position": async ({ store, second }) => {
    for (let at = 0; at < 5; at += 1) {
      const writers = Array.from({ length: 8 }, (_, index) => (index % 2 ? store : second).append("a", at, records(`${at}`)));
      const won = (await Promise.allSettled(writers)).filter(({ status }) => status === "fulfilled").length;
      same("The number of accepted appends", won, 1);
    }
    same("The loaded session", await textsIn(store, "a"), ["0", "1", "2", "3", "4"]);
  },

  "stores the records of one append together": async ({ store, second }) => {
    const writers = Array.from({ length: 6 }, (_, index) =>
      (index % 2 ? store : second).append("a", 0, records(`${index}`, `${index}`, `${index}`)),
    );
    await Promise.allSettled(writers);
    const texts = (await textsIn(store, "a")) ?? [];
    same(
      "The loaded append",
      texts,
      Array.from({ length: 3 }, () => texts[0]),
    );
  },

  "separates sessions, whatever their ids": async ({ store }) => {
    const ids = ["a", "A", "a/b", "../a", "a b", "ä", "%61", "con", ".", "a.jsonl", "x".repeat(100), "日本"];
    for (const id of ids) await store.append(id, 0, records(id));
    for (const id of ids) same(`Session ${id}`, await textsIn(store, id), [id]);
    same("The list", (await store.list()).toSorted(), ids.toSorted());
  },

  "deletes a session, and can create it again": async ({ store, second }) => {
    await store.append("a", 0, records("one", "two"));
    await store.append("b", 0, records("other"));
    await second.delete("a");
    await second.delete("a");
    same("The loaded session", await store.load("a"), undefined);
    same("The list", await store.list(), ["b"]);
    await conflicts("An append to a deleted session", store.append("a", 2, records("three")));
    await second.append("a", 0, records("new"));
    await conflicts("An append to the earlier session", store.append("a", 2, records("three")));
    await store.append("a", 1, records("newer"));
    same("The loaded session", await textsIn(second, "a"), ["new", "newer"]);
  },

  "accepts an empty append": async ({ store }) => {
    await store.append("a", 0, []);
    same("The loaded session", await store.load("a"), undefined);
    await store.append("a", 0, records("one"));
    await store.append("a", 1, []);
    await conflicts("An empty append at the wrong position", store.append("a", 0, []));
    same("The loaded session", await textsIn(store, "a"), ["one"]);
  },

  "stores a long session": async ({ store, second }) => {
    const texts = Array.from({ length: 300 }, (_, index) => `${index} ${"long ".repeat(index % 40)}`);
    for (let at = 0; at < texts.length; at += 3) await store.append("a", at, records(...texts.slice(at, at + 3)));
    same("The loaded session", await textsIn(second, "a"), texts);
  },

  "stores an item of one megabyte": async ({ store }) => {
    const large = "0123456789abcdef".repeat(65_536);
    await store.append("a", 0, records(large));
    await store.append("a", 1, records("small"));
    same("The loaded session", await textsIn(store, "a"), [large, "small"]);
  },
};
