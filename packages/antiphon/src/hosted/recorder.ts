import { isObject } from "../model/guards.ts";
import { Bounded } from "./bounded.ts";
import type { ToolEvent, ToolProgress } from "./tool-event.ts";
import type { Stage } from "./tool-table.ts";

/** How much of the progress is kept. */
export interface ProgressLimits {
  /** Characters of one event; its `cut` lists the fields where something is missing. 100,000 where nothing is said. */
  maxText: number;
  /** Events of one tool; a last event `antiphon:cut` tells how many came after. 1,000 where nothing is said. */
  maxEvents: number;
}

/** A text that comes in pieces, kept as the one delta that it amounts to. */
interface Run {
  first: ToolEvent;
  /** By stream: a shell has two, everything else one, under the empty name. */
  texts: Map<string, string[]>;
  /** Characters that may still be kept, and whether more came. */
  room: number;
  cut: boolean;
}

interface List {
  entries: (ToolEvent | Run)[];
  missed: number;
}

const isRun = (entry: ToolEvent | Run): entry is Run => "texts" in entry && entry.texts instanceof Map;

/** Keeps the events of each tool, bounded and as JSON; texts that came in pieces are kept once, whole. */
export class Recorder {
  readonly #limits: ProgressLimits;
  readonly #lists = new Map<string, List>();
  /** The texts in pieces, by their item and place. */
  readonly #runs = new Map<string, Run>();

  constructor({ maxText = 100_000, maxEvents = 1_000 }: Partial<ProgressLimits>) {
    this.#limits = { maxText, maxEvents };
  }

  /** Keeps an event; gives whether it tells anything new. */
  record(tool: string, event: ToolEvent, stage: Stage): boolean {
    if (stage === "piece") this.#piece(tool, event);
    else if (stage === "whole" && (isEmpty(event) || this.#runs.has(placeOf(event)))) return false;
    else this.#add(tool, this.#bounded(event));
    return true;
  }

  /** What was kept, as lists of its own. */
  lists(): ToolProgress {
    const lists = [...this.#lists].map(([tool, { entries, missed }]) => {
      const events = entries.map((entry) => (isRun(entry) ? whole(entry) : entry));
      return [tool, missed > 0 ? [...events, { type: "antiphon:cut", events: missed }] : events] as const;
    });
    return Object.fromEntries(lists);
  }

  /** Adds to a tool's list; gives whether there was room. */
  #add(tool: string, entry: ToolEvent | Run): boolean {
    const list = this.#lists.get(tool) ?? { entries: [], missed: 0 };
    this.#lists.set(tool, list);
    const hasRoom = list.entries.length < this.#limits.maxEvents;
    if (hasRoom) list.entries.push(entry);
    else list.missed += 1;
    return hasRoom;
  }

  #piece(tool: string, event: ToolEvent): void {
    const place = placeOf(event);
    let run = this.#runs.get(place);
    if (!run) {
      const { delta: _, obfuscation: __, ...first } = event;
      run = { first: this.#bounded(first), texts: new Map(), room: this.#limits.maxText, cut: false };
      this.#runs.set(place, run);
      if (!this.#add(tool, run)) run.room = 0;
    }
    const { delta } = event;
    const pieces = isObject(delta) ? Object.entries(delta) : [["", delta] as const];
    for (const [stream, piece] of pieces) if (typeof piece === "string") keep(run, stream, piece);
  }

  #bounded(event: ToolEvent): ToolEvent {
    const bounded = new Bounded(this.#limits.maxText);
    // A copy of an event, its `type` with it.
    const copy = bounded.object(event) as ToolEvent;
    return bounded.cut.length > 0 ? { ...copy, cut: bounded.cut } : copy;
  }
}

function keep(run: Run, stream: string, piece: string): void {
  const kept = piece.slice(0, run.room);
  if (kept.length < piece.length) run.cut = true;
  run.room -= kept.length;
  const texts = run.texts.get(stream);
  if (!texts) run.texts.set(stream, [kept]);
  else if (kept !== "") texts.push(kept);
}

const isEmpty = ({ code, arguments: args, command, diff }: ToolEvent): boolean =>
  [code, args, command, diff].some((text) => text === "");

/** A text's place: its item, the command of a shell, and which of the item's texts it is. */
const placeOf = ({ type, output_index, command_index }: ToolEvent): string =>
  `${output_index}/${String(command_index ?? "")}/${type.slice(0, type.lastIndexOf("."))}`;

function whole({ first, texts, cut }: Run): ToolEvent {
  const joined = [...texts].map(([stream, pieces]) => [stream, pieces.join("")] as const);
  const delta = texts.has("") ? joined[0]?.[1] : Object.fromEntries(joined);
  return { ...first, delta, ...(cut ? { cut: ["delta"] } : {}) };
}
