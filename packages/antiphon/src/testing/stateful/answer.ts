import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem, Item, Message } from "../../model/index.ts";
import { hash } from "../../core/hash.ts";
import type { Random } from "./random.ts";

/** What an answer is made from. */
export interface StatefulTurn {
  request: CreateResponse;
  /** The whole conversation, chain and input. */
  context: readonly InputItem[];
  random: Random;
  newId(prefix: string): string;
  /** Makes a blob for a reasoning item, where the request asks for one. */
  seal(id: string): string | undefined;
}

/** Thinks, calls tools side by side, searches and speaks, by chance; after two rounds of calls it speaks for sure. */
export function answerByChance(turn: StatefulTurn): Item[] {
  const { random, request, context } = turn;
  const rounds = callRounds(context);
  const names = (request.tools ?? []).flatMap((tool) => (tool.type === "function" ? [tool.name] : []));
  const thought = random() < 0.7 ? [think(turn)] : [];
  const search = random() < 0.15 ? [searchCall(turn)] : [];
  if (names.length === 0 || rounds >= 2 || random() < 0.5) return [...thought, ...search, ...again(turn), speak(turn)];
  const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, () => call(turn, names));
  return [...thought, ...search, ...again(turn), ...calls];
}

/** Reasoning may come several times in an answer. */
const again = (turn: StatefulTurn): Item[] => (turn.random() < 0.1 ? [think(turn)] : []);

function callRounds(context: readonly InputItem[]): number {
  let rounds = 0;
  for (let at = context.length - 1; at >= 0; at -= 1) {
    const item = context[at]!;
    if (inputType(item) === "message" && Reflect.get(item, "role") === "user") break;
    const next = context[at + 1];
    if (inputType(item) === "function_call" && (!next || inputType(next) !== "function_call")) rounds += 1;
  }
  return rounds;
}

function think({ random, newId, seal }: StatefulTurn): Item {
  const id = newId("rs");
  const blob = seal(id);
  const summary = random() < 0.5 ? [{ type: "summary_text" as const, text: "I considered the question." }] : [];
  return { type: "reasoning", id, summary, ...(blob && { encrypted_content: blob }) };
}

const searchCall = ({ newId, random }: StatefulTurn): Item => ({
  type: "web_search_call",
  id: newId("ws"),
  status: "completed",
  action: { type: "search", query: `query ${Math.floor(random() * 1000)}` },
});

function call({ newId, random }: StatefulTurn, names: readonly string[]): Item {
  const name = names[Math.floor(random() * names.length)] ?? "";
  const args = JSON.stringify({ n: Math.floor(random() * 1000) });
  return { type: "function_call", id: newId("fc"), call_id: newId("call"), name, arguments: args, status: "completed" };
}

function speak({ newId, context }: StatefulTurn): Message {
  const text = `Answer ${hash(String(context.length))}.`;
  return {
    type: "message",
    id: newId("msg"),
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
  };
}
