import { AntiphonError } from "../core/error.ts";

/** One stretch of a diff: the lines that lead to it, and what is kept, taken away and put in there. */
interface Hunk {
  anchors: string[];
  lines: { kind: " " | "-" | "+"; text: string }[];
  /** Whether it ends where the file ends. */
  atEnd: boolean;
}

/** A line of the file with what ends it. */
interface Line {
  text: string;
  end: string;
}

const failure = (message: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param: "diff" });

// What frames a patch of many files; a diff of one file may carry it all the same.
const frame = /^\*\*\* (Begin Patch|End Patch|(Add|Update|Delete) File: .*|Move to: .*)$/;
const endOfFile = "*** End of File";

const linesOf = (diff: string): string[] =>
  diff
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .filter((line) => !frame.test(line));

/**
 * Applies a diff in the V4A format, which locates changes by text instead of line numbers. What does not fit, or fits
 * in no certain place, is an error that the model can act on. Line ends and the last newline stay as they were.
 *
 * @example
 * applyDiff("one\ntwo\n", "@@\n one\n-two\n+three\n"); // "one\nthree\n"
 */
export function applyDiff(original: string, diff: string): string {
  const hunks = parse(linesOf(diff));
  if (hunks.length === 0) throw failure('The diff changes nothing: it has no lines that begin with "+" or "-".');
  const lines = split(original);
  const newline = lines[0]?.end || "\n";
  const result: Line[] = [];
  let at = 0;
  hunks.forEach((hunk, index) => {
    const { start, end } = locate(lines, hunk, at, index + 1);
    result.push(...lines.slice(at, start), ...replaced(lines.slice(start, end), hunk, newline));
    at = end;
  });
  return join([...result, ...lines.slice(at)], newline, lines.at(-1)?.end !== "");
}

/** The text of a new file, of which every line is an added one. It ends in a newline. */
export function createdText(diff: string): string {
  const lines = linesOf(diff).filter((line) => line !== endOfFile);
  if (lines.length === 1 && lines[0] === "") return "";
  const text = lines.map((line, index) => {
    if (!line.startsWith("+")) throw failure(`Line ${index + 1} of a new file must begin with "+": ${line.slice(0, 80)}`);
    return line.slice(1);
  });
  return text.at(-1) === "" ? text.join("\n") : `${text.join("\n")}\n`;
}

function parse(lines: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk = { anchors: [], lines: [], atEnd: false };
  const begin = (): void => {
    if (hunk.lines.length > 0) hunks.push(hunk);
    hunk = { anchors: hunk.lines.length > 0 ? [] : hunk.anchors, lines: [], atEnd: false };
  };
  for (const line of lines) {
    if (line === endOfFile) hunk.atEnd = true;
    else if (line === "@@" || line.startsWith("@@ ")) {
      begin();
      const anchor = line.slice(3);
      if (anchor.trim() !== "") hunk.anchors.push(anchor);
    } else hunk.lines.push(parseLine(line));
  }
  begin();
  return hunks.filter(({ lines: all }) => all.some(({ kind }) => kind !== " "));
}

function parseLine(line: string): Hunk["lines"][number] {
  // An empty line is an empty line of context whose space was lost.
  const kind = line[0] ?? " ";
  if (kind !== " " && kind !== "-" && kind !== "+")
    throw failure(`A line of the diff does not begin with a space, "+" or "-": ${line.slice(0, 80)}`);
  return { kind, text: line.slice(1) };
}

const split = (text: string): Line[] =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => {
    const end = /\r?\n$/.exec(line)?.[0] ?? "";
    return { text: line.slice(0, line.length - end.length), end };
  });

/** All lines but the last end in something; the last one as it did before. */
const join = (lines: readonly Line[], newline: string, ended: boolean): string =>
  lines.map(({ text, end }, index) => text + (index < lines.length - 1 || ended ? end || newline : "")).join("");

/** Kept lines stay as the file has them: the diff may spell their blanks otherwise. */
function replaced(found: readonly Line[], { lines }: Hunk, newline: string): Line[] {
  let at = 0;
  return lines.flatMap(({ kind, text }) => {
    if (kind === "+") return [{ text, end: newline }];
    const line = found[at++];
    return kind === " " && line ? [line] : [];
  });
}

type Alike = (a: string, b: string) => boolean;
// Models often lose blanks at the end of a line, and sometimes the indentation.
const likenesses: readonly Alike[] = [(a, b) => a === b, (a, b) => a.trimEnd() === b.trimEnd(), (a, b) => a.trim() === b.trim()];

/** Where a hunk's old lines are, at or behind a line. */
function locate(lines: readonly Line[], hunk: Hunk, from: number, number: number): { start: number; end: number } {
  const old = hunk.lines.filter(({ kind }) => kind !== "+").map(({ text }) => text);
  const anchored = afterAnchors(lines, hunk.anchors, from);
  if (old.length === 0) return insertion(lines, hunk, anchored, number);
  if (anchored === undefined && placesOf(lines, old, from).length !== 1)
    throw failure(`Change ${number}: the file does not contain its anchor line "${hunk.anchors.at(-1)}".`);
  const start = hunk.atEnd ? endPlace(lines, old, from) : undefined;
  // A diff may repeat the line that leads to a change as its first line of context.
  const found = start ?? find(lines, old, anchored ?? from) ?? (anchored ? find(lines, old, anchored - 1) : undefined);
  if (found === undefined || found < from)
    throw failure(`Change ${number} does not match the file. The file does not contain these lines:\n${old.join("\n")}`);
  return { start: found, end: found + old.length };
}

/** Lines that are only put in need a place: behind the line that leads there, at the end, or in an empty file. */
function insertion(lines: readonly Line[], { anchors, atEnd }: Hunk, anchored: number | undefined, number: number) {
  const at = atEnd || lines.length === 0 ? lines.length : anchors.length > 0 ? anchored : undefined;
  if (at === undefined) throw failure(`Change ${number} only adds lines and does not show where. Add context lines around it.`);
  return { start: at, end: at };
}

/** Behind the lines that lead to a place, each behind the one before; nothing where one is missing. */
function afterAnchors(lines: readonly Line[], anchors: readonly string[], from: number): number | undefined {
  let at: number | undefined = from;
  for (const anchor of anchors) {
    const found: number | undefined = at === undefined ? undefined : find(lines, [anchor], at);
    at = found === undefined ? undefined : found + 1;
  }
  return at;
}

const fits = (lines: readonly Line[], old: readonly string[], at: number, alike: Alike): boolean =>
  at >= 0 && at + old.length <= lines.length && old.every((text, index) => alike(lines[at + index]!.text, text));

function find(lines: readonly Line[], old: readonly string[], from: number): number | undefined {
  for (const alike of likenesses)
    for (let at = from; at + old.length <= lines.length; at += 1) if (fits(lines, old, at, alike)) return at;
  return undefined;
}

function endPlace(lines: readonly Line[], old: readonly string[], from: number): number | undefined {
  const at = lines.length - old.length;
  return at >= from && likenesses.some((alike) => fits(lines, old, at, alike)) ? at : undefined;
}

function placesOf(lines: readonly Line[], old: readonly string[], from: number): number[] {
  const exact = likenesses[0]!;
  return lines.flatMap((_, at) => (at >= from && fits(lines, old, at, exact) ? [at] : []));
}
