import { isObject, type EventOf, type Item, type KnownEventType, type PendingCall, type ResponseEvent } from "antiphon";
import { createProgress } from "antiphon/hosted";
import { hostedNews } from "./hosted-news.ts";
import type { CallNews, CallState, TurnListener } from "./listener.ts";
import { noteOf } from "./notes.ts";

/**
 * Tells a listener what the events of an answer mean. The same is left out of every request of a conversation, and is said once: `told`
 * holds what was.
 */
export function teller(listener: TurnListener, told: Set<string>): (event: ResponseEvent) => void {
  const progress = createProgress();
  return (event) => {
    const note = noteOf(event);
    const isOld = note !== undefined && event.type === "antiphon:loss" && told.has(note);
    if (note && !isOld) listener.note(note);
    if (note) told.add(note);
    if (event.type.startsWith("antiphon:")) return runArms[event.type]?.(listener, event);
    // The table's own type pairs each name with its event; looked up by name, the two can only be paired again by hand.
    (arms[event.type as KnownEventType] as Arm | undefined)?.(listener, event);
    for (const [tool, steps] of Object.entries(progress.push(event) ?? {}))
      for (const step of steps) {
        const news = hostedNews(tool, step);
        if (news) listener.call(news);
      }
  };
}

type Arm = (listener: TurnListener, event: ResponseEvent) => void;

// Events without an arm say nothing that a reader of the answer would miss.
const arms: { [K in KnownEventType]?: (listener: TurnListener, event: EventOf<K>) => void } = {
  "response.output_text.delta": (listener, { delta }) => listener.text(delta),
  "response.reasoning.delta": (listener, { delta }) => listener.thinking(delta),
  "response.reasoning_summary_text.delta": (listener, { delta }) => listener.thinking(delta),
  "response.reasoning_summary_part.added": (listener, { summary_index }) => {
    if (summary_index > 0) listener.thinking("\n\n");
  },
  "response.refusal.done": (listener, { refusal }) => listener.note(`refused: ${refusal}`),
  "response.output_item.added": (listener, { item }) => {
    const call = callOf(item);
    if (call) listener.call({ ...call, state: "written" });
  },
  "response.output_item.done": (listener, { item }) => {
    if (item.type === "message") listener.textEnd();
    const call = callOf(item);
    if (call) listener.call(call);
    const result = resultOf(item);
    if (result) listener.call(result);
  },
};

/** The calls that are answered on this side, by what was written. */
function callOf(item: Item): CallNews | undefined {
  if (item.type === "function_call") return { id: item.call_id, name: item.name, about: item.arguments };
  if (item.type === "custom_tool_call") return { id: item.call_id, name: item.name, about: item.input };
  if (item.type === "local_shell_call") return { id: item.call_id, name: "local_shell", about: item.action.command.join(" ") };
  if (item.type === "shell_call") return { id: item.call_id, name: "shell", about: item.action.commands.join("; ") };
  if (item.type === "apply_patch_call") return { id: item.call_id, name: "apply_patch", about: item.operation.path };
  return item.type === "computer_call" ? { id: item.call_id, name: "computer" } : undefined;
}

function resultOf(item: Item): CallNews | undefined {
  if (!item.type.endsWith("_call_output")) return undefined;
  const id: unknown = Reflect.get(item, "call_id");
  return typeof id === "string" ? { id, result: wordsOf(Reflect.get(item, "output")) } : undefined;
}

/** A result in words: its text, and for each other part what it is. */
function wordsOf(output: unknown): string {
  if (typeof output === "string") return output;
  if (!Array.isArray(output)) return JSON.stringify(output) ?? "";
  return output.map((part: unknown) => partWords(part)).join(" ");
}

function partWords(part: unknown): string {
  if (!isObject(part)) return String(part);
  for (const key of ["text", "stdout", "filename"]) if (typeof part[key] === "string" && part[key] !== "") return part[key];
  return `[${String(part["type"] ?? "result").replace(/^input_/, "")}]`;
}

const ends: Readonly<Record<string, CallState>> = { ok: "done", replaced: "done" };

// What a run tells of the calls that it runs itself; the fields are those of `RunEventFields`.
const runArms: Readonly<Record<string, Arm>> = {
  "antiphon:tool_started": (listener, event) => listener.call({ ...ofCall(event), state: "running" }),
  "antiphon:tool_progress": (listener, event) => {
    const data: unknown = Reflect.get(event, "data");
    listener.call({ ...ofCall(event), result: typeof data === "string" ? data : (JSON.stringify(data) ?? "") });
  },
  "antiphon:paused": (listener, event) => {
    const pending: unknown = Reflect.get(event, "pending");
    for (const call of Array.isArray(pending) ? pending : []) listener.call({ id: String(call.call_id), state: "waiting" });
  },
  "antiphon:tool_done": (listener, event) => {
    const state = ends[String(Reflect.get(event, "status"))] ?? "failed";
    listener.call({ ...ofCall(event), state, milliseconds: Number(Reflect.get(event, "milliseconds")) });
  },
};

/** A call that waits, as a listener knows calls. */
export const waitingCall = ({ call_id, name, item, written }: PendingCall): CallNews => ({
  id: call_id,
  name,
  state: "waiting",
  about: callOf(item)?.about ?? (typeof written === "string" ? written : ""),
});

const ofCall = (event: ResponseEvent): CallNews => ({
  id: String(Reflect.get(event, "call_id")),
  name: String(Reflect.get(event, "name")),
});
