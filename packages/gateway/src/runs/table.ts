/**
 * A map for what comes and goes with every request. A `Map` that is written to all the time outgrows one table after the other, and each
 * still holds what was in it: once such a table has grown old, all of that survives until the next full collection of garbage. Here the
 * tables hold numbers alone, and the place of what was deleted is cleared.
 */
export class Table<Value> {
  readonly #places = new Map<string, number>();
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#places.size;
  }

  get(id: string): Value | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#values[place];
  }

  set(id: string, value: Value): void {
    const place = this.#places.get(id) ?? this.#free.pop() ?? this.#values.length;
    this.#places.set(id, place);
    this.#values[place] = value;
  }

  delete(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }

  /** In the order in which they came. */
  entries(): [string, Value][] {
    // Every place that is taken has a value.
    return [...this.#places].map(([id, place]) => [id, this.#values[place]!]);
  }
}
