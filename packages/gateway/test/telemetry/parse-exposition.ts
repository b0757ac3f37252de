export interface Sample {
  labels: Record<string, string>;
  value: number;
}

export interface Samples {
  series(name: string): Sample[];
  /** The value of one series; `undefined` where there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
  types: Map<string, string>;
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\n"])*)"/g;
const numbers: Readonly<Record<string, number>> = { "+Inf": Infinity, "-Inf": -Infinity };
const unescaped: Readonly<Record<string, string>> = { "\\\\": "\\", "\\n": "\n", '\\"': '"' };

/** Reads the text format as a scraper does: every line must be a comment or a sample, and every sample of a family that was announced. */
export function parseExposition(text: string): Samples {
  const types = new Map<string, string>();
  const samples = new Map<string, Sample[]>();
  if (!text.endsWith("\n")) throw new Error("The last line has no end.");
  for (const line of text.slice(0, -1).split("\n")) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) types.set(type[1]!, type[2]!);
    if (line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = sample.exec(line) ?? [];
    const family = name.replace(/_(bucket|sum|count)$/, "");
    if (!types.has(name) && types.get(family) !== "histogram") throw new Error(`No sample: ${line}`);
    const entries = [...labels.matchAll(label)].map(
      ([, key = "", text = ""]) => [key, text.replaceAll(/\\[\\n"]/g, (escape) => unescaped[escape]!)] as const,
    );
    const list = samples.get(name) ?? [];
    samples.set(name, list);
    list.push({ labels: Object.fromEntries(entries), value: numbers[value] ?? Number(value) });
  }
  const series = (name: string): Sample[] => samples.get(name) ?? [];
  const same = (a: Record<string, string>, b: Record<string, string>): boolean =>
    Object.keys({ ...a, ...b }).every((key) => a[key] === b[key]);
  return { types, series, value: (name, labels = {}) => series(name).find((one) => same(one.labels, labels))?.value };
}
