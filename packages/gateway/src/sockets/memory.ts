import type { InputItem } from "antiphon";

const most = 4;

/** What a connection knows of its last responses that are kept nowhere else: all items up to each. */
export class SocketMemory {
  readonly #known = new Map<string, InputItem[]>();

  get(id: string): InputItem[] | undefined {
    return this.#known.get(id);
  }

  /** The items of a response; its predecessors may be forgotten. */
  set(id: string, items: InputItem[]): void {
    this.#known.set(id, items);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= most) return;
      this.#known.delete(oldest);
    }
  }

  delete(id: string): void {
    this.#known.delete(id);
  }
}
