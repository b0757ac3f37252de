import type { Line } from "../text/line.ts";
import type { CallNews, TurnListener } from "./listener.ts";
import { CallSegment, NoteSegment, TextSegment, ThinkingSegment, type Look, type Segment } from "./segments.ts";

interface Placed {
  segment: Segment;
  /** An empty line stands before it, until that was written. */
  gap: boolean;
}

/** An answer as it comes, as lines: those before the first thing that may still change are final. */
export class TurnView implements TurnListener {
  readonly #now: () => number;
  readonly #queue: Placed[] = [];
  readonly #calls = new Map<string, CallSegment>();
  #last: Segment | undefined;
  #isOver = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  thinking(delta: string): void {
    if (delta === "") return;
    if (!(this.#last instanceof ThinkingSegment) || this.#last.isDone) this.#add(new ThinkingSegment(this.#now()));
    if (this.#last instanceof ThinkingSegment) this.#last.push(delta);
  }

  text(delta: string): void {
    if (delta === "") return;
    if (!(this.#last instanceof TextSegment) || this.#last.isDone) this.#add(new TextSegment());
    if (this.#last instanceof TextSegment) this.#last.push(delta);
  }

  textEnd(): void {
    if (this.#last instanceof TextSegment) this.#last.end();
  }

  call(news: CallNews): void {
    const known = this.#calls.get(news.id);
    if (known) return known.update(news);
    const segment = new CallSegment(news);
    this.#calls.set(news.id, segment);
    this.#add(segment);
    segment.update(news);
  }

  note(text: string): void {
    this.#add(new NoteSegment(text));
  }

  /** Nothing more comes. */
  end(): void {
    this.#isOver = true;
    this.#settle();
  }

  /** The lines that are final since the last time, and those that are not yet. */
  lines(look: Look): { settled: Line[]; live: Line[] } {
    const settled: Line[] = [];
    while (this.#queue.length > 0) {
      const head = this.#queue[0]!;
      settled.push(...spaced(head, head.segment.take(look), true));
      if (!head.segment.isDone) break;
      this.#queue.shift();
    }
    return { settled, live: this.#queue.flatMap((placed) => spaced(placed, placed.segment.unfinished(look), false)) };
  }

  #add(segment: Segment): void {
    this.#settle();
    const gap = this.#last !== undefined && (this.#last.isText || segment.isText);
    this.#queue.push({ segment, gap });
    this.#last = segment;
  }

  /** What came before something new will not go on. */
  #settle(): void {
    if (this.#last instanceof TextSegment) this.#last.end();
    if (this.#last instanceof ThinkingSegment) this.#last.end(this.#now());
    for (const call of this.#calls.values()) call.settle(this.#isOver);
  }
}

function spaced(placed: Placed, lines: Line[], isFinal: boolean): Line[] {
  if (!placed.gap || lines.length === 0) return lines;
  if (isFinal) placed.gap = false;
  return [[], ...lines];
}
