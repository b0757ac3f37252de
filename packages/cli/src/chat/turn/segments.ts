import { MarkdownStream, type RenderOptions } from "../markdown/render.ts";
import { duration } from "../text/amounts.ts";
import { dim, lineOf, type Line } from "../text/line.ts";
import { safeText } from "../text/safe-text.ts";
import { prefixed, wrap } from "../text/wrap.ts";
import { callLine } from "./call-line.ts";
import type { CallNews } from "./listener.ts";

/** For whom a turn is drawn, and when. */
export interface Look extends RenderOptions {
  /** The picture of the spinner that is due. */
  spinner: string;
}

/** A stretch of an answer: lines that are final, then lines that may still change. */
export interface Segment {
  readonly isText: boolean;
  /** Nothing of it changes any more. */
  isDone: boolean;
  /** The lines that became final since they were last taken. */
  take(look: Look): Line[];
  /** What is not final, as it looks so far. */
  unfinished(look: Look): Line[];
}

export class TextSegment implements Segment {
  readonly isText = true;
  readonly #markdown = new MarkdownStream();
  isDone = false;

  push(delta: string): void {
    this.#markdown.push(safeText(delta));
  }

  end(): void {
    if (!this.isDone) this.#markdown.end();
    this.isDone = true;
  }

  take(look: Look): Line[] {
    return this.#markdown.take(look);
  }

  unfinished(look: Look): Line[] {
    return this.#markdown.unfinished(look);
  }
}

const thinkingRows = 5;

/** Thoughts: their newest lines while they come, and one line when they are over. */
export class ThinkingSegment implements Segment {
  readonly isText = false;
  readonly #begun: number;
  #text = "";
  #milliseconds = 0;
  isDone = false;

  constructor(now: number) {
    this.#begun = now;
  }

  push(delta: string): void {
    // Only the end is ever seen.
    this.#text = (this.#text + safeText(delta)).slice(-4_000);
  }

  end(now: number): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#milliseconds = now - this.#begun;
  }

  take(): Line[] {
    return this.isDone ? [lineOf(`thought for ${duration(this.#milliseconds)}`, dim)] : [];
  }

  unfinished({ width, glyphs }: Look): Line[] {
    if (this.isDone) return this.take();
    const lines = wrap(lineOf(this.#text.trim(), { dim: true, italic: true }), Math.max(width - 2, 1)).slice(-thinkingRows);
    return prefixed(lines, lineOf(`${glyphs.bar} `, dim));
  }
}

/** A call of a tool in one line: a spinner that becomes a result. */
export class CallSegment implements Segment {
  readonly isText = false;
  isDone = false;
  #news: CallNews;
  #isTaken = false;

  constructor(news: CallNews) {
    this.#news = news;
  }

  /** A result may come after the end of its call; the line is final when both are there, or when something else begins. */
  update(news: CallNews): void {
    this.#news = { ...this.#news, ...news };
    this.isDone = this.#hasEnded && this.#news.result !== undefined;
  }

  get #hasEnded(): boolean {
    const { state } = this.#news;
    return state === "done" || state === "failed";
  }

  /** Something else begins: what has ended will not change any more, nor will anything once the turn is over. */
  settle(isOver: boolean): void {
    this.isDone ||= isOver || this.#hasEnded;
  }

  take(look: Look): Line[] {
    if (!this.isDone || this.#isTaken) return [];
    this.#isTaken = true;
    return this.#lines(look);
  }

  unfinished(look: Look): Line[] {
    return this.#isTaken ? [] : this.#lines(look);
  }

  #lines(look: Look): Line[] {
    return this.#news.state === "waiting" ? [] : [callLine(this.#news, this.isDone, look)];
  }
}

/** A sentence beside the answer. */
export class NoteSegment implements Segment {
  readonly isText = false;
  readonly isDone = true;
  readonly #text: string;
  #isTaken = false;

  constructor(text: string) {
    this.#text = safeText(text);
  }

  take(look: Look): Line[] {
    if (this.#isTaken) return [];
    this.#isTaken = true;
    return this.#lines(look);
  }

  unfinished(look: Look): Line[] {
    return this.#isTaken ? [] : this.#lines(look);
  }

  #lines({ width }: Look): Line[] {
    return prefixed(
      wrap(lineOf(this.#text, { colour: "yellow" }), Math.max(width - 2, 1)),
      lineOf("! ", { colour: "yellow" }),
      lineOf("  "),
    );
  }
}
