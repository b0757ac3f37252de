/**
 * Writes to a store until it is killed, several runs at once, and says on standard output what the store has acknowledged: a line of
 * JSON for each. Arguments: `sqlite` or `postgres`, where the store is, a name that no other child has, and what it does: `all` that a
 * gateway does, or nothing but `answers` to clients that wait for them.
 */
import { writeSync } from "node:fs";
import { postgresStore } from "../../src/store/postgres.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import type { Acknowledged } from "./kill.ts";
import { answerOf, completed, conversation, events, key, message, stored } from "./suite/subject.ts";

const [kind = "", place = "", name = "", work = ""] = process.argv.slice(2);
const store = kind === "sqlite" ? await sqliteStore(place) : await postgresStore(place);

// At once, and not when the event loop has time: what is not said is not acknowledged.
const say = (line: Acknowledged): number => writeSync(1, `${JSON.stringify(line)}\n`);

const paid = key({ id: `key_${name}` });

async function oneRun(id: string): Promise<void> {
  const talk = conversation({ id: `conv_${id}` });
  await store.createConversation(talk, [message("before", `before_${id}`)]);
  await store.createResponse(stored({ id, conversation: talk.id }), { worker: name, leaseMs: 0 });
  say({ type: "created", id });
  for (let from = 0; from < 9; from += 3) {
    await store.appendEvents(id, events(from, from + 3), name);
    say({ type: "logged", id, last: from + 2 });
  }
  const items = [message("after", `after_${id}`)];
  await store.updateResponse(id, completed(id), { worker: name, events: events(9, 12), items });
  say({ type: "ended", id });
  const spent = await store.addSpending(paid.id, 1);
  say({ type: "spent", hash: paid.hash, spent: spent ?? 0 });
}

/** A streamed answer, and a plain one. */
async function twoAnswers(id: string): Promise<void> {
  await store.createResponse(stored({ id }), { worker: name, leaseMs: 0 });
  say({ type: "begun", id });
  await store.updateResponse(id, completed(id, answerOf(id)), { worker: name });
  say({ type: "answered", id });
  const plain = `${id}_plain`;
  await store.createResponse(stored({ id: plain, response: completed(plain, answerOf(plain)) }));
  say({ type: "answered", id: plain });
}

if (work === "all") await store.createKey(paid);
let count = 0;
const worker = async (): Promise<never> => {
  for (;;) await (work === "all" ? oneRun : twoAnswers)(`${name}_${(count += 1)}`);
};
await Promise.all(Array.from({ length: 10 }, worker));
