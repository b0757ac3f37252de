import { functionCallOutput, system, user } from "../../src/model/construct.ts";
import { Log } from "../../src/conversation/log.ts";
import type { Origin, Target } from "../../src/conversation/log-records.ts";
import { opens } from "../../src/conversation/call-pairs.ts";
import type { InputItem, Item } from "../../src/model/index.ts";
import { randomFrom, type Random } from "../../src/testing/stateful/random.ts";
import { called, origin, said, searched, target, thought } from "./support.ts";

export const targets: readonly Target[] = [
  target("first"),
  target("second"),
  target("stateless", { stores: false }),
  target("plain", { stores: false, encrypts: false }),
  target("translated", { stores: false, encrypts: false, translates: true }),
];

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

/** Items of any kind, lawful or not, with ids from a small stock so that some clash. */
export function anyItem(random: Random): InputItem {
  const n = Math.floor(random() * 12);
  const makers: (() => InputItem)[] = [
    () => user(`Question ${n}`),
    () => system("Be brief."),
    () => said(`Answer ${n}`, `msg_${n}`),
    () => ({ ...(said("", `msg_${n}`) as object), content: [] }) as unknown as Item,
    () => thought(`rs_${n}`, { encrypted_content: `blob ${n}`, status: "completed" }),
    () => thought(`rs_${n}`, { summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: null }),
    () => thought(`rs_${n}`),
    () => called(`call_${n}`),
    () => called(`call_${n}`, { status: "incomplete", arguments: '{"a' }),
    () => functionCallOutput(`call_${n}`, `Result ${n}`),
    () => ({ type: "custom_tool_call", id: `ctc_${n}`, call_id: `call_${n}`, name: "patch", input: "x" }),
    () => ({ type: "custom_tool_call_output", call_id: `call_${n}`, output: "y" }),
    () => searched(`ws_${n}`),
    () => ({ type: "shell_call", id: `sh_${n}`, call_id: `call_${n}`, status: "completed", action: { commands: ["ls"] } }),
    () => ({ type: "shell_call_output", call_id: `call_${n}`, output: [] }),
    () => ({ type: "local_shell_call_output", id: `call_${n}`, output: "z" }),
    () => ({ type: "item_reference", id: `msg_${n}` }),
    () => ({ type: "compaction", id: `cmp_${n}`, encrypted_content: "all of it" }),
    () => ({ type: "mcp_approval_request", id: `mcpr_${n}`, server_label: "s", name: "t", arguments: "{}" }),
    () => ({ type: "mcp_approval_response", approval_request_id: `mcpr_${n}`, approve: true }),
    () => ({ type: "anthropic:advisor", id: `srvtoolu_${n}` }),
    () => ({ type: "image_generation_call", id: `ig_${n}`, status: "completed", action: "generate", result: "AA==" }),
  ];
  return pick(random, makers)();
}

/** The items of an answer such as a provider gives. */
function answerItems(random: Random, count: number): Item[] {
  const id = (prefix: string): string => `${prefix}_${count}_${Math.floor(random() * 1e6)}`;
  const blob = random() < 0.5 ? { encrypted_content: id("blob") } : {};
  const thoughts = random() < 0.6 ? [thought(id("rs"), blob)] : [];
  const search = random() < 0.2 ? [searched(id("ws"))] : [];
  if (random() < 0.5) return [...thoughts, ...search, said("Well.", id("msg"))];
  return [...thoughts, ...search, ...Array.from({ length: 1 + Math.floor(random() * 3) }, () => called(id("call")))];
}

/**
 * A log that went through a random life: several providers, stored or not, cut-off answers, forks, merges, restarts, oddities.
 * `watch` sees it after each step.
 */
export function randomLog(seed: number, steps = 20, watch?: (log: Log) => void): Log {
  const random = randomFrom(seed);
  let log = new Log("random");
  for (let count = 0; count < steps; count += 1) {
    log = pick(random, lives)(log, random, count);
    watch?.(log);
  }
  return log;
}

type Life = (log: Log, random: Random, count: number) => Log;

function answer(log: Log, random: Random, count: number): Log {
  const from: Origin = origin(`resp_${count}`, pick(random, targets).provider, { stored: random() < 0.7 });
  const cut = random() < 0.2;
  const items = answerItems(random, count).slice(0, cut ? 1 : undefined);
  log.append(items.map((item) => ({ item, origin: cut ? { ...from, stored: false } : from })));
  if (cut) log.closeCalls();
  return log;
}

function answerCalls(log: Log, random: Random): Log {
  const calls = log.items.filter((item) => opens(item)?.startsWith("function_call ")).slice(-3);
  const outputs = calls
    .filter(() => random() < 0.7)
    .map((call) => functionCallOutput(String(Reflect.get(call, "call_id")), "Done."));
  log.append(outputs.map((item) => ({ item })));
  return log;
}

function compact(log: Log, random: Random): Log {
  const to = Math.floor(random() * (log.entries.length + 1));
  const { provider, endpoint, model } = pick(random, targets);
  const native = { items: [{ type: "compaction" as const, encrypted_content: "past" }], origin: { provider, endpoint, model } };
  log.compact({ to, ...(random() < 0.5 ? { summary: "Much was said." } : native) });
  return log;
}

function speak(log: Log, _: Random, count: number): Log {
  log.append([{ item: user(`Question ${count}`) }]);
  return log;
}

function odd(log: Log, random: Random): Log {
  log.append(Array.from({ length: 1 + Math.floor(random() * 4) }, () => ({ item: anyItem(random) })));
  return log;
}

function merge(log: Log, random: Random, count: number): Log {
  log.merge(answer(speak(log.fork(Math.floor(random() * log.entries.length)), random, count), random, count + 1000));
  return log;
}

function restore(log: Log): Log {
  log.restore();
  return log;
}

function undo(log: Log, random: Random): Log {
  log.undo(1 + Math.floor(random() * 2));
  return log;
}

const lives: readonly Life[] = [
  ...Array.from({ length: 4 }, () => speak),
  ...Array.from({ length: 5 }, () => answer),
  ...Array.from({ length: 4 }, () => answerCalls),
  odd,
  compact,
  restore,
  undo,
  merge,
  (log, random) => log.fork(Math.floor(random() * (log.entries.length + 1))),
  (log, random) => log.slice(Math.floor(random() * 3)),
  (log) => Log.from(JSON.stringify(log)),
];
