/** Renders the measurements as Markdown. */
import os from "node:os";
import { parseScenario } from "./scenario.mjs";
import { pinned } from "./processes.mjs";
import { statistics } from "./statistics.mjs";

const number = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const cell = (value, suffix = "") => (value === undefined ? "–" : `${number(value)}${suffix}`);

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const writes = { "1k": "1 KiB writes", "16k": "16 KiB writes", paced: "paced" };
function title(id) {
  const { count, write, atOnce } = parseScenario(id);
  return `${count.toLocaleString("en")}, ${writes[write]}, ${atOnce} at once`;
}

const textScenarios = [
  "text-200-1k-1",
  "text-200-1k-50",
  "text-200-16k-1",
  "text-200-16k-50",
  "text-20000-1k-1",
  "text-20000-16k-1",
  "text-20000-16k-50",
  "text-200-paced-1",
  "text-200-paced-50",
  "text-20000-paced-1",
];

/** Ratios to the row by hand, and that row's own figure below, so that a ratio can be turned back into time. */
function ratios({ rows: all, figures }, scenarios, titles, unit) {
  const rows = all.filter(({ id }) => scenarios.some((scenario) => figures.cpu(id, scenario) !== undefined));
  const shown = scenarios.filter(figures.measured);
  if (shown.length === 0) return undefined;
  const body = rows.map(({ id, name }) => [name, ...shown.map((scenario) => cell(figures.ratio(id, scenario)))]);
  const base = ["by hand, in " + unit, ...shown.map((scenario) => cell(figures.cpu("hand", scenario)))];
  return table(["", ...shown.map(titles)], [...body, base]);
}

const textCost = (context) => ratios(context, textScenarios, title, "µs a delta");

const counts = (id) => `${parseScenario(id).count.toLocaleString("en")} deltas`;
const argumentsCost = (context) =>
  ratios(context, ["arguments-200-16k-1", "arguments-2000-16k-1", "arguments-20000-16k-1"], counts, "µs a delta");

const objectCost = (context) =>
  ratios(context, ["object-200-16k-1", "object-2000-16k-1", "object-20000-16k-1"], counts, "µs a delta");

const loopCost = (context) => ratios(context, ["loop-20-16k-1"], () => "five steps", "µs a delta of a step");

function textGrowth({ rows, figures }) {
  const [short, long] = ["text-2000-16k-1", "text-20000-16k-1"];
  if (!figures.measured(short) || !figures.measured(long)) return undefined;
  const body = rows.map(({ id, name }) => {
    const [before, after] = [figures.cpu(id, short), figures.cpu(id, long)];
    return [name, cell(before), cell(after), cell(before && after && after / before)];
  });
  return table(["µs a delta", "2,000 deltas", "20,000 deltas", "growth (1 = linear)"], body);
}

function eventGrowth({ rows, figures }) {
  const scenarios = ["image-1-16k-1", "image-2-16k-1", "image-4-16k-1", "image-8-16k-1"].filter(figures.measured);
  if (scenarios.length === 0) return undefined;
  const [first, last] = [scenarios[0], scenarios.at(-1)];
  const body = rows.map(({ id, name, lacks }) => {
    if (lacks?.image) return [name, ...scenarios.map(() => "–"), lacks.image];
    const costs = scenarios.map((scenario) => figures.cpu(id, scenario));
    const times = costs.map((cost, index) => cell(cost && (cost * parseScenario(scenarios[index]).count) / 1000));
    return [name, ...times, cell(figures.cpu(id, last) && figures.cpu(id, last) / figures.cpu(id, first))];
  });
  const head = scenarios.map((scenario) => `${parseScenario(scenario).count} MB`);
  return table(["ms of CPU", ...head, "growth a MB (1 = linear)"], body);
}

const megabytes = (bytes) => (bytes < 1e6 ? `${(bytes / 1e6).toFixed(2)} MB` : `${(bytes / 1e6).toFixed(1)} MB`);
const installed = (size) => (size ? `${megabytes(size.bytes)} (${size.packages})` : "0");

function startUp({ rows, figures, sizes }) {
  const body = rows.map(({ id, name }) => [
    name,
    cell(figures.importTime(id)),
    cell(figures.coldFirstDelta(id, "first-delta")),
    cell(figures.firstDelta(id, "text-200-paced-1")),
    cell(figures.peak(id, "text-20000-16k-1")),
    cell(figures.peak(id, "text-200-1k-50")),
    cell(figures.peak(id, "text-20000-16k-50")),
    installed(sizes[id]),
  ]);
  const head = ["import ms", "first delta, cold ms", "warm ms", "peak MB: 20,000 × 1", "200 × 50", "20,000 × 50"];
  return table(["", ...head, "installed (packages)"], body);
}

const versions = ({ rows, sizes }) =>
  rows
    .filter(({ package: name }) => name)
    .map(({ package: name, id }) => `${[name].flat().join(" + ")} ${sizes[id].version}`)
    .filter((line, index, lines) => lines.indexOf(line) === index)
    .join(" · ");

function facts(context) {
  const { rounds, seconds } = context;
  const [core] = os.cpus();
  const machine = `Node ${process.versions.node}, ${os.platform()} ${os.arch()}, ${os.availableParallelism()} cores (${core?.model.trim() || "unknown"})`;
  const where = pinned ? "upstream and client pinned to different cores" : "upstream and client not pinned";
  const length = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${machine}; ${where}; ${rounds === 1 ? "one round" : `up to ${rounds} rounds`}, ${length}.\n\nPeers: ${versions(context)}.`;
}

const sections = [
  {
    heading: "CPU per text delta, × the row by hand",
    about:
      "User and system time of the client process, all threads. It carries the cost of the request too, which is why short streams\nflatter slow clients. Paced is what a live model looks like: an event a packet, so that waking up dominates.",
    render: textCost,
  },
  { heading: "How it grows: text", about: "16 KiB writes, one at a time.", render: textGrowth },
  {
    heading: "How it grows: streamed tool arguments, × the row by hand",
    about:
      "CPU per delta, 16 KiB writes, one at a time. A ratio that rises with the length is a cost that grows faster than the stream.",
    render: argumentsCost,
  },
  {
    heading: "How it grows: partial objects, × the row by hand",
    about:
      "CPU per delta of a typed answer, 16 KiB writes, one at a time. The floors and `openai` make no partial objects of it: they read the\ntext.",
    render: objectCost,
  },
  {
    heading: "A tool loop of five steps, × the row by hand",
    about:
      "Four streamed calls of a tool, whose results are sent back with all that came before, and an answer. `openai` and `pi-ai` have no\nloop of their own and get the one that one would write by hand.",
    render: loopCost,
  },
  {
    heading: "How it grows: one large event",
    about: "A generated image: the stream holds it twice, in the event that ends the item and in the response at the end.",
    render: eventGrowth,
  },
  {
    heading: "Starting up, memory and size",
    about:
      "The first delta is timed from the call: cold in the first request of a process, after the import; warm with paced events. Peak\nmemory is the resident size of the whole process. Installed is the size of the unpacked package and of all that it depends on.",
    render: startUp,
  },
];

/** @param {{ rows: object[], measurements: object[], sizes: object, rounds: number, seconds: number }} context */
export function report(context) {
  const full = { ...context, figures: statistics(context.measurements) };
  const parts = sections.flatMap(({ heading, about, render }) => {
    const rendered = render(full);
    return rendered ? [`## ${heading}`, about, rendered] : [];
  });
  const intro =
    "Generated by `npm run bench`; how it is measured stands in `bench/README.md`. Medians over the rounds; ratios are taken within a\nround. Times differ from machine to machine and from run to run, ratios much less.";
  return ["# Results", intro, facts(full), ...parts].join("\n\n") + "\n";
}
