import type { Key } from "../keys/keys.ts";
import type { Frame } from "../screen.ts";
import type { Stage } from "../terminal.ts";
import { duration } from "../text/amounts.ts";
import { clippedLine, dim, lineOf, type Line } from "../text/line.ts";
import type { Look } from "../turn/segments.ts";

/** What goes on above the spinner. */
interface Work {
  lines(look: Look): { settled: Line[]; live: Line[] };
}

const patience = 150;

/** Something is under way: what there is of it, and below it a spinner with the time that it takes. Ctrl-C stops it. */
export class BusyStage implements Stage {
  readonly isAnimated = true;
  readonly #work: Work;
  readonly #stop: AbortController;
  readonly #since = performance.now();

  constructor(work: Work, stop: AbortController) {
    this.#work = work;
    this.#stop = stop;
  }

  key(key: Key): boolean {
    if (key.type !== "key" || key.name !== "ctrl-c") return false;
    this.#stop.abort();
    return true;
  }

  frame(look: Look, height: number): Frame {
    const { settled, live } = this.#work.lines(look);
    // What is over at once needs no spinner.
    if (performance.now() - this.#since < patience) return { settled, live: live.slice(-height) };
    const status = this.#status(look);
    // What is higher than the window is shown from its end; it is written in full once it is final.
    return { settled, live: [...live.slice(-Math.max(0, height - 2)), [], status] };
  }

  #status({ spinner, width, glyphs }: Look): Line {
    const words = this.#stop.signal.aborted
      ? "stopping"
      : `${duration(performance.now() - this.#since)} ${glyphs.dot} Ctrl-C to stop`;
    return clippedLine(lineOf(`${spinner} ${words}`, dim), width);
  }
}
