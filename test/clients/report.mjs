/**
 * Turns the results of the suites into a table. The `describe` of a test names its client and upstream
 * (`openai 7 · Responses → chat`), and the test's name begins with a capability (`streaming: the deltas make up the text`).
 * A star (`streaming* …`) marks a difference: what the client does in its own way.
 */
import { capabilities } from "./support/capabilities.mjs";

/** @typedef {{ ancestorTitles: string[], title: string, status: string }} Assertion */
/** @typedef {{ testResults: { assertionResults: Assertion[] }[] }} Results */
/** @typedef {{ passed: number, failed: number }} Count */
/**
 * @typedef {object} Row What the tests of one client found.
 * @property {Map<string, Count>} capabilities
 * @property {Map<string, Count>} upstreams
 * @property {string[]} differences
 */

const apis = ["Responses", "Open Responses", "Chat Completions", "Messages", "generateContent"];
const upstreams = ["offline", "responses", "chat", "messages", "gemini"];
const compliance = "compliance";

/** @param {Results} results */
const assertionsOf = ({ testResults }) =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "passed" || status === "failed");

/**
 * @param {Results} results
 * @returns {Map<string, Row>} By client.
 */
function rowsOf(results) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  // Suites end in any order; the page must not depend on it.
  for (const assertion of assertionsOf(results).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const { client, upstream, capability, isDifference, behaviour } = partsOf(assertion);
    if (!capability) continue;
    /** @type {Row} */
    const row = rows.get(client) ?? { capabilities: new Map(), upstreams: new Map(), differences: [] };
    rows.set(client, row);
    count(row.capabilities, capability, assertion);
    if (upstream) count(row.upstreams, upstream, assertion);
    if (isDifference && !row.differences.includes(behaviour)) row.differences.push(behaviour);
  }
  return rows;
}

/** @param {Assertion} assertion */
function partsOf({ ancestorTitles: [suite = ""], title }) {
  const [client = "", upstream] = suite.split(" → ");
  const [, capability = "", mark, behaviour = ""] = /^([\w ]+)(:|\*) (.*)$/.exec(title) ?? [];
  return { client, upstream, capability, isDifference: mark === "*", behaviour };
}

/** @param {Assertion} assertion */
function keyOf(assertion) {
  const { client, upstream = "" } = partsOf(assertion);
  const [name = "", api = ""] = client.split(" · ");
  const column = capabilities.findIndex((capability) => assertion.title.startsWith(capability));
  return [apis.indexOf(api), name, String(column).padStart(2, "0"), assertion.title, upstreams.indexOf(upstream)].join("\n");
}

/**
 * @param {Map<string, Count>} counts
 * @param {string} name
 * @param {Assertion} assertion
 */
function count(counts, name, { status }) {
  const { passed, failed } = counts.get(name) ?? { passed: 0, failed: 0 };
  counts.set(name, status === "passed" ? { passed: passed + 1, failed } : { passed, failed: failed + 1 });
}

/**
 * @param {Results} results
 * @returns {string[][]}
 */
function tableOf(results) {
  const rows = [...rowsOf(results)].map(([client, row]) => {
    const [name = "", api = ""] = client.split(" · ");
    return { name, api, ...row };
  });
  const body = rows.map((row) => {
    const failing = capabilities.filter((capability) => (row.capabilities.get(capability)?.failed ?? 0) > 0);
    const differences = [...failing.map((capability) => `✗ ${capability}`), ...row.differences].join("; ");
    return [row.name, row.api, passedTests(row), untested(row, rows), differences];
  });
  return [["client", "API", "tests passed", "not tested", "failures and differences"], ...body];
}

/**
 * Lists the capabilities that the tests of a client do not cover, but those of another client of the same API do.
 *
 * @param {Row & { api: string }} row
 * @param {(Row & { api: string })[]} rows
 */
function untested(row, rows) {
  const peers = rows.filter(({ api }) => api === row.api);
  const possible = capabilities.filter((capability) => peers.some((peer) => peer.capabilities.has(capability)));
  const tested = possible.filter((capability) => row.capabilities.has(capability));
  const missing = possible.filter((capability) => !row.capabilities.has(capability));
  return missing.length > tested.length ? `all but ${tested.join(", ")}` : missing.join(", ");
}

/** @param {Row} row */
function passedTests({ upstreams: counts, capabilities: all }) {
  const shown = upstreams.flatMap((upstream) => {
    const { passed, failed } = counts.get(upstream) ?? { passed: 0, failed: 0 };
    if (passed + failed === 0) return [];
    return failed > 0 ? [`${passed} of ${passed + failed}`] : [String(passed)];
  });
  if (shown.length > 0) return shown.join(", ");
  return [...all.values()].some(({ failed }) => failed > 0) ? "some" : "all";
}

/** @param {Results} results */
export function printable(results) {
  return [aligned(tableOf(results)), complianceOf(results)].filter(Boolean).join("\n\n");
}

/** @param {string[][]} rows */
function aligned(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/**
 * Returns the result of the specification's own suite, if it ran.
 *
 * @param {Results} results
 */
function complianceOf(results) {
  const ran = assertionsOf(results).filter(({ ancestorTitles }) => ancestorTitles[0] === compliance);
  if (ran.length === 0) return undefined;
  const failed = ran.filter(({ status }) => status === "failed").map(({ title }) => title);
  const when = new Date().toISOString().slice(0, 10);
  return failed.length > 0
    ? `${when}: tests failed with ${failed.join(", ")}.`
    : `${when}: 17 of 17 tests passed with each upstream: ${ran.map(({ title }) => `\`${title}\``).join(", ")}.`;
}

/** @param {string[][]} rows */
const markdown = ([head = [], ...rows]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/**
 * Returns the page with the results between its markers.
 *
 * @param {string} page
 * @param {Results} results
 * @param {Record<string, string>} versions
 */
export function pageWith(page, results, versions) {
  const used = Object.entries(versions).map(
    ([name, version]) => `\`${name.replace(/7$/, "")}\` ${version.replace(/^npm:.*@/, "")}`,
  );
  const parts = {
    results: `${markdown(tableOf(results))}\n\n${wrapped(`Versions: ${used.join(", ")}.`)}`,
    [compliance]: complianceOf(results),
  };
  return Object.entries(parts).reduce((text, [name, part]) => (part === undefined ? text : between(text, name, part)), page);
}

/**
 * Wraps a paragraph to lines of at most 118 characters.
 *
 * @param {string} text
 */
function wrapped(text) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 118) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/**
 * @param {string} page
 * @param {string} name
 * @param {string} part
 */
const between = (page, name, part) =>
  page.replace(new RegExp(`(<!-- ${name} -->\n).*?(<!-- end of ${name} -->)`, "s"), (_, from, to) => `${from}\n${part}\n\n${to}`);
