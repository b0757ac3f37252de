/** A sum that only grows. */
export class Counter {
  value = 0;

  add(amount = 1): void {
    if (amount > 0) this.value += amount;
  }
}

/** Counts how many observations were at most as large as each bound. */
export class Histogram {
  readonly bounds: readonly number[];
  /** Per bucket, not summed up; the last has no bound. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    if (!(value >= 0)) return;
    const { bounds } = this;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at += 1;
    this.counts[at]! += 1;
    this.sum += value;
  }
}
