/** Who waits for changes of what. While anybody does, `look` is called now and then, and tells everybody when it finds a change. */
export class Watchers {
  readonly #byId = new Map<string, Set<() => void>>();
  readonly #look: () => boolean;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(look: () => boolean, everyMs: number) {
    this.#look = look;
    this.#everyMs = everyMs;
  }

  add(id: string, changed: () => void): () => void {
    const others = this.#byId.get(id) ?? new Set();
    // Not at once, so that whoever writes is neither held up nor hurt by those who watch; and not when it has stopped meanwhile.
    const watcher = (): void => queueMicrotask(() => others.has(watcher) && changed());
    this.#byId.set(id, others.add(watcher));
    this.#timer ??= setInterval(() => this.#look() && this.tellAll(), this.#everyMs).unref();
    return () => {
      others.delete(watcher);
      if (others.size === 0 && this.#byId.get(id) === others) this.#byId.delete(id);
      if (this.#byId.size === 0) this.stop();
    };
  }

  tell(id: string): void {
    for (const watcher of this.#byId.get(id) ?? []) watcher();
  }

  tellAll(): void {
    for (const id of this.#byId.keys()) this.tell(id);
  }

  /** Looks no more. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
