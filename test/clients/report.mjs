/**
 * What the suites found, as tables. A test belongs to the client and the upstream that its `describe` names, `openai 7 · Responses → chat`,
 * and to the capability that its own name begins with: `streaming: the deltas make up the text`. With a star, `streaming* …`, it tells
 * how the client goes its own way.
 */
import { capabilities } from "./support/capabilities.mjs";

/** @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion */
/** @typedef {{ testResults: { assertionResults: Assertion[] }[] }} Results */
/** @typedef {{ passed: number, failed: number, noted: number, notes: number[] }} Cell */
/** @typedef {Map<string, Map<string, Cell>>} Rows */
/** @typedef {{ byCapability: Rows, byUpstream: Rows, notes: string[] }} Matrix */

const wires = ["Responses", "Open Responses", "Chat Completions", "Messages", "generateContent"];

/** What stands behind the gateway, by the name that the suites have for it. */
const upstreams = {
  offline: "the model itself",
  responses: "Responses",
  chat: "Chat Completions",
  messages: "Messages",
  gemini: "generateContent",
};

const compliance = "compliance";

/** @param {Results} results */
const assertionsOf = ({ testResults }) =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed" || status === "failed");

/**
 * @param {Results} results
 * @returns {Matrix}
 */
function matrixOf(results) {
  /** @type {Matrix} */
  const matrix = { byCapability: new Map(), byUpstream: new Map(), notes: [] };
  // Suites end in any order; the page should not change with it.
  for (const assertion of assertionsOf(results).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) add(matrix, assertion);
  return matrix;
}

/** @param {Assertion} assertion */
function placeOf({ ancestorTitles: [place = ""], title }) {
  const [client = "", upstream] = place.split(" → ");
  const [, capability = "", mark, behaviour = ""] = /^([\w ]+)(:|\*) (.*)$/.exec(title) ?? [];
  return { client, upstream, capability, isNote: mark === "*", behaviour };
}

/** @param {Assertion} assertion */
function keyOf(assertion) {
  const { client, upstream = "" } = placeOf(assertion);
  const [name = "", wire = ""] = client.split(" · ");
  const column = capabilities.findIndex((capability) => assertion.title.startsWith(capability));
  const behind = Object.keys(upstreams).indexOf(upstream);
  return [wires.indexOf(wire), name, String(column).padStart(2, "0"), assertion.title, behind].join("\n");
}

/**
 * @param {Matrix} matrix
 * @param {Assertion} assertion
 */
function add({ byCapability, byUpstream, notes }, assertion) {
  const { client, upstream, capability, isNote, behaviour } = placeOf(assertion);
  if (!capability) return;
  const cell = cellOf(byCapability, client, capability);
  const note = `**${client}** ${behaviour}.`;
  for (const one of upstream ? [cell, cellOf(byUpstream, client, upstream)] : [cell])
    one[assertion.status === "passed" ? "passed" : "failed"] += 1;
  if (!isNote) return;
  cell.noted += 1;
  if (!notes.includes(note)) cell.notes.push(notes.push(note));
}

/**
 * @param {Rows} rows
 * @param {string} row
 * @param {string} column
 */
function cellOf(rows, row, column) {
  const cells = rows.get(row) ?? new Map();
  const cell = cells.get(column) ?? { passed: 0, failed: 0, noted: 0, notes: [] };
  rows.set(row, cells.set(column, cell));
  return cell;
}

/** @param {Cell | undefined} cell */
function shown(cell) {
  if (!cell) return "–";
  const notes = cell.notes.map((number) => `[${number}]`).join("");
  return (cell.failed > 0 ? "✗" : cell.passed > cell.noted ? "✓" : "") + notes;
}

/** @param {Cell | undefined} cell */
const counted = (cell) => (cell ? `${cell.failed > 0 ? "✗" : "✓"} ${cell.passed} of ${cell.passed + cell.failed}` : "–");

/**
 * @param {Rows} rows
 * @param {Record<string, string>} columns The heading of each, by its name.
 * @param {(cell: Cell | undefined) => string} show
 * @returns {string[][]}
 */
function tableOf(rows, columns, show) {
  const names = Object.keys(columns);
  const body = [...rows].map(([row, cells]) => [row, ...names.map((name) => show(cells.get(name)))]);
  return [["client", ...Object.values(columns)], ...body];
}

/** @param {Matrix} matrix */
const tablesOf = ({ byCapability, byUpstream }) => [
  tableOf(byCapability, Object.fromEntries(capabilities.map((name) => [name, name])), shown),
  tableOf(byUpstream, upstreams, counted),
];

/** @param {Results} results */
export function printable(results) {
  const tables = tablesOf(matrixOf(results)).filter(({ length }) => length > 1);
  return [...tables.map(aligned), complianceOf(results)].filter(Boolean).join("\n\n");
}

/** @param {string[][]} rows */
function aligned(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

/**
 * What the suite of the specification found, where it was run.
 *
 * @param {Results} results
 */
function complianceOf(results) {
  const ran = assertionsOf(results).filter(({ ancestorTitles }) => ancestorTitles[0] === compliance);
  if (ran.length === 0) return undefined;
  const failed = ran.filter(({ status }) => status === "failed").map(({ title }) => title);
  const when = new Date().toISOString().slice(0, 10);
  return failed.length > 0
    ? `${when}: it fails with the model behind ${failed.join(", ")}.`
    : `${when}: 17 of 17, with the model behind each of ${ran.map(({ title }) => `\`${title}\``).join(", ")}.`;
}

/** @param {string[][]} rows */
const markdown = ([head = [], ...rows]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/**
 * The page with what was found between its markers.
 *
 * @param {string} page
 * @param {Results} results
 * @param {Record<string, string>} versions
 */
export function pageWith(page, results, versions) {
  const matrix = matrixOf(results);
  const [capabilityTable = [], upstreamTable = []] = tablesOf(matrix);
  const used = Object.entries(versions).map(
    ([name, version]) => `\`${name.replace(/7$/, "")}\` ${version.replace(/^npm:.*@/, "")}`,
  );
  const notes = matrix.notes.map((note, index) => `${index + 1}. ${note}`).join("\n");
  const told = [markdown(capabilityTable), notes, `Versions: ${used.join(", ")}.`].join("\n\n");
  const parts = { results: told, upstreams: markdown(upstreamTable), [compliance]: complianceOf(results) };
  return Object.entries(parts).reduce((text, [name, part]) => (part === undefined ? text : between(text, name, part)), page);
}

/**
 * @param {string} page
 * @param {string} name
 * @param {string} part
 */
const between = (page, name, part) =>
  page.replace(new RegExp(`(<!-- ${name} -->\n).*?(<!-- end of ${name} -->)`, "s"), (_, from, to) => `${from}\n${part}\n\n${to}`);
