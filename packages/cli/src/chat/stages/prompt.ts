import { edited } from "../editor/editor.ts";
import { completed, type Completion } from "../editor/menu.ts";
import { emptyEditor, type EditorState } from "../editor/state.ts";
import { editorView, writtenLines } from "../editor/view.ts";
import type { Key } from "../keys/keys.ts";
import type { Frame } from "../screen.ts";
import type { Stage } from "../terminal.ts";
import type { Line } from "../text/line.ts";
import type { Look } from "../turn/segments.ts";

/** What the prompt needs from outside. */
export interface PromptOptions {
  history: readonly string[];
  complete(text: string, cursor: number): Completion;
  suspend(): void;
}

/** Asks for a message: `message` is what was written, or nothing when one wants to leave. */
export class PromptStage implements Stage {
  readonly isAnimated = false;
  readonly message: Promise<string | undefined>;
  readonly #options: PromptOptions;
  #state: EditorState;
  #isOver = false;
  #resolve: (message: string | undefined) => void = () => {};

  constructor(options: PromptOptions) {
    this.#options = options;
    this.#state = emptyEditor(options.history);
    this.message = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  key(key: Key): boolean {
    if (this.#isOver) return false;
    const { state, effect } = edited(this.#state, key);
    this.#state = state;
    if (effect === "complete") this.#state = completed(state, this.#options.complete(state.text, state.cursor));
    if (effect === "suspend") this.#options.suspend();
    if (effect === "submit") this.#end(state.text);
    if (effect === "quit") this.#end(undefined);
    return true;
  }

  /** Ends it from outside, as if one wanted to leave. */
  leave(): void {
    this.#end(undefined);
  }

  frame({ width }: Look, height: number): Frame {
    if (this.#isOver) return { live: [] };
    const { lines, cursor } = editorView(this.#state, width, height);
    return { live: lines, cursor };
  }

  /** What stays on the screen when it was sent. */
  lines(width: number): Line[] {
    return writtenLines(this.#state.text, width);
  }

  #end(message: string | undefined): void {
    this.#isOver = true;
    this.#resolve(message);
  }
}
