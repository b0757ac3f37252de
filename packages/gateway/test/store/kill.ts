import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { answerOf, completed, events, response } from "./suite/subject.ts";

/** What a child says that its store has acknowledged. */
export type Acknowledged =
  | { type: "created"; id: string }
  | { type: "ended"; id: string }
  | { type: "begun"; id: string }
  | { type: "answered"; id: string }
  | { type: "logged"; id: string; last: number }
  | { type: "spent"; hash: string; spent: number };

/** Runs a child until it has said so many lines, kills it, and gives all that it said. */
export async function killAfter(lines: number, program: string, args: string[]): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (text) => (complaint += String(text)));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  }
  if (said.length < lines) throw new Error(`The child ended by itself: ${complaint}`);
  // A child writes whole lines, and a kill may come in the middle of one.
  return said.flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Acknowledged] : []));
}

/** Everything that was acknowledged is there, and every response is whole. */
export async function expectKept(store: Store, said: readonly Acknowledged[]): Promise<void> {
  const of = <T extends Acknowledged["type"]>(type: T) =>
    said.filter((line): line is Extract<Acknowledged, { type: T }> => line.type === type);
  const ended = new Set(of("ended").map(({ id }) => id));
  const logged = new Map(of("logged").map(({ id, last }) => [id, last]));
  for (const { id } of of("created")) {
    const found = await store.getResponse(id, "ada");
    const log = await store.readEvents(id, "ada", -1, 100);
    const page = await store.listItems(`conv_${id}`, "ada", { limit: 10, order: "asc" });
    const isOver = found?.response.status === "completed";
    if (ended.has(id)) expect(isOver, `${id} was acknowledged to have ended`).toBe(true);
    // The end comes with the last events and the items, or not at all.
    expect(log).toEqual(events(0, isOver ? 12 : log.length));
    expect(log.length).toBeGreaterThan(logged.get(id) ?? -1);
    expect(page?.items.map((item) => item.id)).toEqual(isOver ? [`before_${id}`, `after_${id}`] : [`before_${id}`]);
    if (isOver) expect(found.response).toEqual(completed(id));
  }
  const answered = new Set(of("answered").map(({ id }) => id));
  for (const id of new Set([...of("begun").map((line) => line.id), ...answered])) {
    const found = await store.getResponse(id, "ada");
    const isOver = answered.has(id) || found?.response.status === "completed";
    expect(found?.response, `answer ${id}`).toEqual(isOver ? completed(id, answerOf(id)) : response(id));
    expect(found?.input, `question ${id}`).toMatchObject([{ content: `Question of ${id}` }]);
  }
  for (const { hash, spent } of of("spent")) expect((await store.findKey(hash))?.spent).toBeGreaterThanOrEqual(spent);
}

/** Every run that a dead child held can be taken, once, and no run that was over. */
export async function expectClaimable(store: Store, said: readonly Acknowledged[]): Promise<void> {
  const created = new Set(said.flatMap((line) => (line.type === "created" || line.type === "begun" ? [line.id] : [])));
  const open = new Set<string>();
  for (const id of created) if ((await store.getResponse(id, "ada"))?.response.status === "in_progress") open.add(id);
  const claimed: string[] = [];
  for (
    let run = await store.claimRun({ worker: "next", leaseMs: 60_000 });
    run;
    run = await store.claimRun({ worker: "next", leaseMs: 60_000 })
  )
    claimed.push(run.response.id);
  expect(new Set(claimed).size).toBe(claimed.length);
  expect([...open].filter((id) => !claimed.includes(id))).toEqual([]);
  expect(claimed.filter((id) => created.has(id) && !open.has(id))).toEqual([]);
}
