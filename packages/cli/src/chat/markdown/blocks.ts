/** A piece of Markdown that is drawn on its own. A code block is told line by line, so that it can be shown as it comes. */
export type Block = { gap: boolean } & (
  | { type: "heading"; level: number; text: string }
  | { type: "paragraph"; indent: number; text: string }
  | { type: "item"; indent: number; marker: string; text: string }
  | { type: "quote"; text: string }
  | { type: "fence"; indent: number; language: string }
  | { type: "code"; indent: number; text: string }
  | { type: "table"; rows: readonly (readonly string[])[]; aligned: readonly Alignment[] }
  | { type: "rule" }
);
export type Alignment = "left" | "right" | "centre";
export type BlockOf<T extends Block["type"]> = Extract<Block, { type: T }>;

/** A block that the next line may belong to, too. */
type Open = BlockOf<"paragraph"> | BlockOf<"item"> | BlockOf<"quote"> | BlockOf<"table">;

/** All that the lines so far mean for the next one. */
export interface BlockState {
  open?: Open;
  /** The code block that we are in: what closes it, and how far it is indented. */
  fence?: { mark: string; indent: number };
  /** Whether the next block stands apart from the one before. */
  gap: boolean;
  /** Whether there is a block before. */
  begun: boolean;
  /** Whether indented text belongs to a list. */
  inList: boolean;
}

interface Step {
  state: BlockState;
  /** The blocks that are final now. */
  blocks: Block[];
}

export const beginning: BlockState = { gap: false, begun: false, inList: false };

/** Takes the next line. A pure function: what it would make of half a line can be tried without harm. */
export function nextLine(state: BlockState, line: string): Step {
  if (state.fence) return inFence(state, state.fence, line);
  if (line.trim() === "") return { state: { ...closed(state), gap: true }, blocks: openBlocks(state) };
  for (const read of readers) {
    const step = read(state, line);
    if (step) return step;
  }
  return paragraph(state, line);
}

/** What is left when no more lines come. */
export const openBlocks = ({ open }: BlockState): Block[] => (open ? [open] : []);

const closed = ({ open, ...state }: BlockState): BlockState => (open ? { ...state, begun: true } : state);

/** Ends what is open and puts a block behind it, which is final at once. */
function alone(state: BlockState, make: (gap: boolean) => Block, apart: boolean, then: Partial<BlockState> = {}): Step {
  const before = closed(state);
  const block = make(before.begun && (before.gap || apart));
  return { state: { ...before, gap: false, begun: true, inList: false, ...then }, blocks: [...openBlocks(state), block] };
}

/** Ends what is open and opens something else. */
function opened(state: BlockState, make: (gap: boolean) => Open, apart = false): Step {
  const before = closed(state);
  const open = make(before.begun && (before.gap || apart));
  return { state: { ...before, gap: false, open, inList: open.type === "item" || before.inList }, blocks: openBlocks(state) };
}

const grown = (state: BlockState, open: Open): Step => ({ state: { ...state, open }, blocks: [] });

function inFence(state: BlockState, fence: { mark: string; indent: number }, line: string): Step {
  const { indent, mark } = fence;
  const end = /^ *(`{3,}|~{3,}) *$/.exec(line)?.[1];
  if (end?.startsWith(mark)) {
    const { fence: _, ...rest } = state;
    return { state: { ...rest, gap: true }, blocks: [] };
  }
  const text = line.replace(new RegExp(`^ {0,${indent}}`), "").trimEnd();
  return { state, blocks: [{ type: "code", indent: shownIndent(state, indent), text, gap: false }] };
}

const shownIndent = ({ inList }: BlockState, indent: number): number => (inList ? indent : 0);

type Reader = (state: BlockState, line: string) => Step | undefined;

const fence: Reader = (state, line) => {
  const [, blanks = "", mark, info = ""] = /^( *)(`{3,}|~{3,}) *([^`]*)$/.exec(line) ?? [];
  if (!mark) return undefined;
  const indent = blanks.length;
  const language = info.trim().split(/\s/)[0] ?? "";
  const shown = shownIndent(state, indent);
  const then = { fence: { mark, indent }, inList: state.inList };
  return alone(state, (gap) => ({ type: "fence", indent: shown, language, gap }), true, then);
};

const heading: Reader = (state, line) => {
  const [, marks, text = ""] = /^ {0,3}(#{1,6})(?: +(.*?))?(?: +#+)? *$/.exec(line) ?? [];
  return marks ? alone(state, (gap) => ({ type: "heading", level: marks.length, text, gap }), true) : undefined;
};

const rule: Reader = (state, line) =>
  /^ {0,3}([-*_])(?: *\1){2,} *$/.test(line) ? alone(state, (gap) => ({ type: "rule", gap }), false) : undefined;

const quote: Reader = (state, line) => {
  const text = /^ {0,3}> ?(.*)$/.exec(line)?.[1];
  if (text === undefined) return undefined;
  const { open } = state;
  if (open?.type === "quote") return grown(state, { ...open, text: `${open.text}\n${text}` });
  return opened(state, (gap) => ({ type: "quote", text, gap }));
};

const item: Reader = (state, line) => {
  const [, blanks = "", marker, text = ""] = /^( *)([-*+]|\d{1,9}[.)])(?: +(.*))?$/.exec(line) ?? [];
  if (!marker) return undefined;
  // A line of prose may begin with a year; only a list that begins at one ends a paragraph.
  if (state.open?.type === "paragraph" && /^\d/.test(marker) && parseInt(marker, 10) !== 1) return undefined;
  const indent = state.inList ? blanks.length : 0;
  return opened(state, (gap) => ({ type: "item", indent, marker, text, gap }));
};

const table: Reader = (state, line) => {
  const { open } = state;
  if (open?.type === "table" && line.includes("|")) return grown(state, { ...open, rows: [...open.rows, cellsOf(line)] });
  if (open?.type !== "paragraph" || open.text.includes("\n") || !open.text.includes("|") || !/^[ |:-]*-[ |:-]*$/.test(line))
    return undefined;
  const header = cellsOf(open.text);
  const aligned = cellsOf(line).map(alignment);
  if (header.length !== aligned.length) return undefined;
  return grown(state, { type: "table", rows: [header], aligned, gap: open.gap });
};

const readers: readonly Reader[] = [fence, heading, table, rule, quote, item];

function paragraph(state: BlockState, line: string): Step {
  const { open } = state;
  if (open && open.type !== "table") return grown(state, { ...open, text: `${open.text}\n${line}` });
  const indent = state.inList ? line.length - line.trimStart().length : 0;
  const inList = state.inList && indent > 1;
  return opened({ ...state, inList }, (gap) => ({ type: "paragraph", indent: inList ? indent : 0, text: line, gap }));
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function alignment(cell: string): Alignment {
  if (!cell.endsWith(":")) return "left";
  return cell.startsWith(":") ? "centre" : "right";
}
