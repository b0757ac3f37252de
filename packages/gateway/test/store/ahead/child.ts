/**
 * Opens a store, keeps responses, several at once one time after another, says on standard output how each time went, and stays until
 * it is killed. Arguments: where the store is, the name that begins its ids, how many responses each time (`3,100`), and how often it
 * looks whether others want in.
 */
import { writeSync } from "node:fs";
import { sqliteStore } from "../../../src/store/sqlite.ts";
import { stored } from "../suite/subject.ts";

const [path = "", name = "", counts = "", pollMs = ""] = process.argv.slice(2);
const store = await sqliteStore(path, { pollMs: Number(pollMs), busyMs: 30_000 });
let made = 0;

/** Keeps so many; gives what became of them, each answer once. */
async function keep(count: number): Promise<string> {
  const all = Array.from({ length: count }, () => stored({ id: `${name}_${(made += 1)}` }));
  const results = await Promise.allSettled(all.map((each) => store.createResponse(each, { worker: name, leaseMs: 60_000 })));
  return [...new Set(results.map(({ status }) => status))].join();
}

const said: string[] = [];
for (const count of counts.split(",")) said.push(await keep(Number(count)));
writeSync(1, `${said.join(" ")}\n`);
setInterval(() => {}, 60_000);
