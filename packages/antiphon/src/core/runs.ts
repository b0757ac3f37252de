import { isRun } from "../model/guards.ts";
import type { PieceEvent, ResponseEvent, RunEvent } from "../model/index.ts";
import type { RawPieces } from "./raw-pieces.ts";

/** Pieces of one text, as one event. */
class Run implements RunEvent {
  readonly type = "antiphon:run";
  sequence_number: number;
  readonly first: PieceEvent;
  readonly deltas: string[];
  size: number;

  constructor(first: PieceEvent) {
    this.sequence_number = first.sequence_number;
    this.first = first;
    this.deltas = [first.delta];
    this.size = first.delta.length;
  }

  add({ sequence_number, delta }: PieceEvent): void {
    this.sequence_number = sequence_number;
    this.deltas.push(delta);
    this.size += delta.length;
  }
}

/** The same for pieces that never became strings, unless somebody asks for them. */
export class RawRun implements RunEvent {
  readonly type = "antiphon:run";
  readonly sequence_number: number;
  readonly first: PieceEvent;
  readonly raw: RawPieces;

  constructor(first: PieceEvent, raw: RawPieces) {
    this.sequence_number = first.sequence_number + raw.count - 1;
    this.first = first;
    this.raw = raw;
  }

  get deltas(): readonly string[] {
    return this.raw.deltas;
  }

  get size(): number {
    return this.raw.size;
  }
}

/** Joins an event with the last of those that nobody was told yet, if both are pieces of one text; says whether it did. */
export function joinRun(events: ResponseEvent[], event: ResponseEvent): boolean {
  if (!isPiece(event)) return false;
  const last = events[events.length - 1];
  if (last instanceof Run) {
    if (!goesOn(last.first, event)) return false;
    last.add(event);
    return true;
  }
  if (last === undefined || !isPiece(last) || !goesOn(last, event)) return false;
  const run = new Run(last);
  run.add(event);
  events[events.length - 1] = run;
  return true;
}

/** The types of the events that carry pieces of a text. */
export const pieceTypes: ReadonlySet<string> = new Set([
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
] satisfies PieceEvent["type"][]);

const isPiece = (event: ResponseEvent): event is PieceEvent => pieceTypes.has(event.type);

/** Where a piece belongs, and what else it may tell. */
interface Place {
  content_index?: number;
  summary_index?: number;
  logprobs?: readonly unknown[];
}

/** Whether a piece goes on with the text of another, and tells nothing but its text. */
const goesOn = (first: PieceEvent & Place, piece: PieceEvent & Place): boolean =>
  piece.type === first.type &&
  piece.output_index === first.output_index &&
  piece.content_index === first.content_index &&
  piece.summary_index === first.summary_index &&
  piece.logprobs === undefined &&
  first.logprobs === undefined;

/**
 * Returns the single events that a combined event stands for.
 *
 * @example
 * const events = batch.flatMap((event) => (isRun(event) ? piecesOf(event) : [event]));
 */
export function piecesOf({ first, deltas }: RunEvent): ResponseEvent[] {
  return deltas.map((delta, index) => ({ ...first, sequence_number: first.sequence_number + index, delta }));
}

/** A run as one piece, for those who need the text alone. */
export const joined = ({ first, deltas }: RunEvent): PieceEvent => ({ ...first, delta: deltas.join("") });

/** Splits the combined events of a batch into single ones. */
export const unrun = (batch: readonly ResponseEvent[]): readonly ResponseEvent[] =>
  batch.some(isRun) ? batch.flatMap((event) => (isRun(event) ? piecesOf(event) : [event])) : batch;
