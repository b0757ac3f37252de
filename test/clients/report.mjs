/**
 * What the suites found, as a table. A test belongs to the client that its `describe` names, and to the capability that its own name
 * begins with: `streaming: the deltas make up the text`. With a star, `streaming* …`, it tells how the client goes its own way.
 */
import { capabilities } from "./support/capabilities.mjs";

/** @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion */
/** @typedef {{ testResults: { assertionResults: Assertion[] }[] }} Results */
/** @typedef {{ passed: number, failed: number, notes: number[] }} Cell */
/** @typedef {{ clients: Map<string, Map<string, Cell>>, notes: string[] }} Matrix */

/**
 * @param {Results} results
 * @returns {Matrix}
 */
function matrixOf({ testResults }) {
  /** @type {Matrix} */
  const matrix = { clients: new Map(), notes: [] };
  const assertions = testResults.flatMap(({ assertionResults }) => assertionResults);
  // Suites end in any order; the page should not change with it.
  for (const assertion of assertions.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) add(matrix, assertion);
  return matrix;
}

const wires = ["Responses", "Open Responses", "Chat Completions", "Messages", "generateContent"];

/** @param {Assertion} assertion */
function keyOf({ ancestorTitles: [client = ""], title }) {
  const [name = "", wire = ""] = client.split(" · ");
  const column = capabilities.findIndex((capability) => title.startsWith(capability));
  return [wires.indexOf(wire), name, String(column).padStart(2, "0"), title].join("\n");
}

/**
 * @param {Matrix} matrix
 * @param {Assertion} assertion
 */
function add({ clients, notes }, { ancestorTitles: [client = ""], title, status }) {
  const [, capability = "", mark, behaviour] = /^([\w ]+)(:|\*) (.*)$/.exec(title) ?? [];
  if (!capability || (status !== "passed" && status !== "failed")) return;
  const row = clients.get(client) ?? new Map();
  const cell = row.get(capability) ?? { passed: 0, failed: 0, notes: [] };
  cell[status] += 1;
  if (mark === "*") cell.notes.push(notes.push(`**${client}** ${behaviour}.`));
  clients.set(client, row.set(capability, cell));
}

/** @param {Cell | undefined} cell */
function shown(cell) {
  if (!cell) return "–";
  const notes = cell.notes.map((number) => `[${number}]`).join("");
  return (cell.failed > 0 ? "✗" : cell.passed > cell.notes.length ? "✓" : "") + notes;
}

/**
 * @param {Results} results
 * @returns {string[][]}
 */
function rowsOf(results) {
  const { clients } = matrixOf(results);
  const rows = [...clients].map(([client, cells]) => [client, ...capabilities.map((capability) => shown(cells.get(capability)))]);
  return [["client", ...capabilities], ...rows];
}

/** @param {Results} results */
export function printable(results) {
  const rows = rowsOf(results);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

/**
 * The page with what was found between its markers.
 *
 * @param {string} page
 * @param {Results} results
 * @param {Record<string, string>} versions
 */
export function pageWith(page, results, versions) {
  const [head = [], ...rows] = rowsOf(results);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const { notes } = matrixOf(results);
  const used = Object.entries(versions).map(
    ([name, version]) => `\`${name.replace(/7$/, "")}\` ${version.replace(/^npm:.*@/, "")}`,
  );
  const told = [
    lines.join("\n"),
    notes.map((note, index) => `${index + 1}. ${note}`).join("\n"),
    `Versions: ${used.join(", ")}.`,
  ];
  return page.replace(
    /(<!-- results -->\n).*?(<!-- end of results -->)/s,
    (_, from, to) => `${from}\n${told.join("\n\n")}\n\n${to}`,
  );
}
