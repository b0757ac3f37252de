import { inTime } from "../in-time.ts";
import { Histogram, type Counter } from "./cells.ts";
import type { Family, MetricKind } from "./family.ts";

/** A metric whose values are asked for at every scrape. */
export interface ReadMetric {
  name: string;
  kind: Exclude<MetricKind, "histogram">;
  help: string;
  labels?: readonly string[];
  /** Gives one number; or, with labels, several with the values of the labels. */
  read(): ReadValue | Promise<ReadValue>;
}

type ReadValue = number | undefined | readonly (readonly [labels: readonly string[], value: number])[];

export type Metric = Family<Counter> | Family<Histogram> | ReadMetric;

export interface Exposition {
  contentType: string;
  text: string;
}

/** One line: what is added to the name of the metric, the labels as they are written, and the value. */
type Sample = readonly [suffix: string, labels: string, value: number];

const plain = "text/plain; version=0.0.4; charset=utf-8";
const openMetrics = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Metrics in the text format of Prometheus, or in OpenMetrics for those who ask for it. */
export async function exposition(metrics: readonly Metric[], accept: string | null = null): Promise<Exposition> {
  const samples = await Promise.all(metrics.map(async (metric) => samplesOf(metric)));
  const isOpen = /\bapplication\/openmetrics-text\b/.test(accept ?? "");
  const lines: string[] = [];
  for (const [at, { name, kind, help }] of metrics.entries()) {
    // In OpenMetrics a counter is called by its name without the suffix that its samples have.
    const family = isOpen && kind === "counter" ? name.replace(/_total$/, "") : name;
    lines.push(`# HELP ${family} ${escapeHelp(help)}`, `# TYPE ${family} ${kind}`);
    for (const [suffix, labels, value] of samples[at]!) lines.push(`${name}${suffix}${labels} ${numeral(value)}`);
  }
  if (isOpen) lines.push("# EOF");
  return { contentType: isOpen ? openMetrics : plain, text: `${lines.join("\n")}\n` };
}

const samplesOf = (metric: Metric): Sample[] | Promise<Sample[]> =>
  "read" in metric
    ? readSamples(metric)
    : metric
        .series()
        .flatMap(({ values, cell }) =>
          cell instanceof Histogram
            ? bucketSamples(cell, metric.labels, values)
            : [["", written(metric.labels, values), cell.value] as const],
        );

const patience = 1_000;

/** Whoever is asked for a value may be on its way down: a scrape must work all the same. */
async function readSamples({ labels = [], read }: ReadMetric): Promise<Sample[]> {
  try {
    const value = await inTime(patience, read);
    if (value === undefined) return [];
    return typeof value === "number" ? [["", "", value]] : value.map(([values, one]) => ["", written(labels, values), one]);
  } catch {
    return [];
  }
}

function bucketSamples({ bounds, counts, sum }: Histogram, labels: readonly string[], values: readonly string[]): Sample[] {
  const own = pairs(labels, values);
  const before = own === "" ? "{" : `{${own},`;
  let below = 0;
  const buckets = Array.from(counts, (count, at): Sample => {
    below += count;
    return ["_bucket", `${before}le="${numeral(bounds[at] ?? Infinity)}"}`, below];
  });
  return [...buckets, ["_sum", braced(own), sum], ["_count", braced(own), below]];
}

const pairs = (labels: readonly string[], values: readonly string[]): string =>
  labels.map((label, at) => `${label}="${escapeValue(values[at] ?? "")}"`).join(",");

const braced = (own: string): string => (own === "" ? "" : `{${own}}`);
const written = (labels: readonly string[], values: readonly string[]): string => braced(pairs(labels, values));

const numeral = (value: number): string =>
  Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };
const escapeValue = (text: string): string => text.replaceAll(/[\\\n"]/g, (sign) => escapes[sign]!);
const escapeHelp = (text: string): string => text.replaceAll(/[\\\n]/g, (sign) => escapes[sign]!);
