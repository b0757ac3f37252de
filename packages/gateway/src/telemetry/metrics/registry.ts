import { Counter, Histogram } from "./cells.ts";
import { exposition, type Exposition, type Metric, type ReadMetric } from "./exposition.ts";
import { Family, type FamilyOptions } from "./family.ts";

/** What a metric is, and how its series are told apart. */
export type MetricOptions = Omit<FamilyOptions, "kind">;

/** All metrics of a process, in the order in which they were made. */
export class Registry {
  readonly #metrics = new Map<string, Metric>();

  counter(options: MetricOptions): Family<Counter> {
    return this.#add(new Family({ ...options, kind: "counter" }, () => new Counter()));
  }

  /** `buckets` are upper bounds, in ascending order; the one without a bound is added. */
  histogram(options: MetricOptions, buckets: readonly number[]): Family<Histogram> {
    return this.#add(new Family({ ...options, kind: "histogram" }, () => new Histogram(buckets)));
  }

  /** A value that is asked for at every scrape instead of being counted; what fails, hangs or gives `undefined` is left out. */
  read(metric: ReadMetric): void {
    this.#add(metric);
  }

  metrics(): Metric[] {
    return [...this.#metrics.values()];
  }

  /** What a scrape gets, in the form that its `Accept` header asks for. */
  expose(accept?: string | null): Promise<Exposition> {
    return exposition(this.metrics(), accept);
  }

  #add<M extends Metric>(metric: M): M {
    if (this.#metrics.has(metric.name)) throw new TypeError(`The metric ${metric.name} already exists.`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}
