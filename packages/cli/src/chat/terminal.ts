import { KeyDecoder, type Key } from "./keys/keys.ts";
import { lookAt, type Abilities } from "./look.ts";
import { Screen, type Frame } from "./screen.ts";
import type { ChatIo } from "./settings.ts";
import type { Line } from "./text/line.ts";
import type { Look } from "./turn/segments.ts";

/** What is shown at the end of the terminal, and what keys do meanwhile. */
export interface Stage {
  /** Whether it changes by itself, as a spinner does. */
  readonly isAnimated: boolean;
  /** Takes a key; what it has no use for is kept for the next prompt. */
  key(key: Key): boolean;
  frame(look: Look, height: number): Frame;
}

const frameTime = 33;
const spinnerTime = 100;
// Long enough for the rest of a key to come over a slow line, and short enough not to be felt.
const escapeTime = 60;
const typingPause = 1_000;
const pasteOn = "\u001B[?2004h";
const pasteOff = "\u001B[?2004l";

/** The one place that reads keys and writes to the terminal. */
export class Terminal {
  readonly #io: ChatIo;
  readonly #abilities: Abilities;
  readonly #screen: Screen;
  readonly #keys = new KeyDecoder();
  #ahead: Key[] = [];
  #aheadAt = -Infinity;
  #stage: Stage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #escapeTimer: NodeJS.Timeout | undefined;
  #spinner: NodeJS.Timeout | undefined;
  #tick = 0;
  #drawnAt = 0;
  #drawTime = 0;
  /** Whether the line is slow, and a picture waits until it has taken the last one. */
  #isBlocked = false;
  #columns: number;

  constructor(io: ChatIo, abilities: Abilities) {
    this.#io = io;
    this.#abilities = abilities;
    this.#columns = this.columns;
    this.#screen = new Screen(this.#columns, abilities.hasColour);
  }

  get columns(): number {
    return Math.max(this.#io.output.columns ?? 80, 4);
  }

  get look(): Look {
    return lookAt(this.#abilities, this.columns, this.#tick);
  }

  open(): void {
    const { input, output } = this.#io;
    input.setEncoding("utf8");
    input.on("data", this.#read);
    output.on("resize", this.#resize);
    this.#takeOver();
    this.#spinner = setInterval(this.#spin, spinnerTime).unref();
  }

  close(): void {
    const { input, output } = this.#io;
    for (const timer of [this.#timer, this.#escapeTimer, this.#spinner]) clearTimeout(timer);
    this.#stage = undefined;
    input.off("data", this.#read);
    output.off("resize", this.#resize);
    this.#giveBack();
    input.pause();
  }

  /** Shows something else at the end of the terminal, or nothing, and writes lines for good above it. */
  show(stage: Stage | undefined, lines: readonly Line[] = []): void {
    this.#stage = stage;
    this.#draw(lines);
  }

  /** The keys that nobody had a use for when they were pressed. */
  takeAhead(): Key[] {
    const keys = this.#ahead;
    this.#ahead = [];
    return keys;
  }

  keepAhead(key: Key): void {
    this.#ahead.push(key);
  }

  /** Whether somebody is just writing the next message. */
  get isTypingAhead(): boolean {
    return performance.now() - this.#aheadAt < typingPause;
  }

  /** Writes lines for good, above the stage. */
  print(lines: readonly Line[]): void {
    this.#draw(lines);
  }

  /** Something has changed; it is drawn soon, together with whatever else changes until then. */
  refresh(): void {
    if (this.#timer) return;
    // Most of the time is left for whoever has something to say, however long a picture takes.
    const wait = Math.max(0, this.#drawnAt + Math.max(frameTime, 3 * this.#drawTime) - performance.now());
    this.#timer = setTimeout(() => this.#draw(), wait);
  }

  /** Hands the terminal to the shell until it gives it back. */
  async suspend(): Promise<void> {
    if (!this.#io.suspend) return;
    this.#giveBack();
    await this.#io.suspend();
    this.#takeOver();
    this.#write(this.#screen.forget());
    this.#draw();
  }

  #takeOver(): void {
    this.#io.input.setRawMode?.(true);
    this.#io.input.resume();
    this.#write(pasteOn);
  }

  #giveBack(): void {
    this.#write(`${this.#screen.leave()}${pasteOff}`);
    this.#io.input.setRawMode?.(false);
  }

  readonly #read = (data: string | Buffer): void => {
    clearTimeout(this.#escapeTimer);
    this.#pressed(this.#keys.push(String(data)));
    if (this.#keys.isWaiting) this.#escapeTimer = setTimeout(() => this.#pressed(this.#keys.flush()), escapeTime);
  };

  #pressed(keys: readonly Key[]): void {
    for (const key of keys)
      if (!this.#stage?.key(key)) {
        this.#ahead.push(key);
        this.#aheadAt = performance.now();
      }
    if (keys.length > 0) this.#draw();
  }

  readonly #spin = (): void => {
    this.#tick += 1;
    if (this.#stage?.isAnimated) this.refresh();
  };

  readonly #resize = (): void => {
    if (this.columns !== this.#columns) {
      this.#columns = this.columns;
      this.#write(this.#screen.resize(this.#columns));
    }
    this.#draw();
  };

  #draw(settled: readonly Line[] = []): void {
    const { output } = this.#io;
    // A slow line gets the newest picture when it has taken the last one, and not all in between.
    if (settled.length === 0 && "writableNeedDrain" in output && output.writableNeedDrain) return this.#drawLater();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const begun = performance.now();
    const height = Math.max((output.rows ?? 24) - 1, 2);
    const frame = this.#stage?.frame(this.look, height) ?? { live: [] };
    this.#write(this.#screen.draw({ ...frame, settled: [...settled, ...(frame.settled ?? [])] }));
    this.#drawnAt = performance.now();
    this.#drawTime = this.#drawnAt - begun;
  }

  #drawLater(): void {
    if (this.#isBlocked) return;
    this.#isBlocked = true;
    this.#io.output.once("drain", () => {
      this.#isBlocked = false;
      this.refresh();
    });
  }

  #write(text: string): void {
    if (text !== "") this.#io.output.write(text);
  }
}
