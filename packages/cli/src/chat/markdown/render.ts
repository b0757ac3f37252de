import type { Glyphs } from "../text/glyphs.ts";
import { dim, lineOf, lineWidth, plain, type Line, type Style } from "../text/line.ts";
import { chop, prefixed, wrap } from "../text/wrap.ts";
import { beginning, nextLine, openBlocks, type Block, type BlockOf, type BlockState } from "./blocks.ts";
import { inline, type InlineOptions } from "./inline.ts";
import { table } from "./table.ts";

/** For whom Markdown is drawn. */
export interface RenderOptions extends InlineOptions {
  width: number;
  glyphs: Glyphs;
}

const codeStyle: Style = { colour: "cyan" };
const headingStyle: Style = { bold: true };
const firstHeadingStyle: Style = { bold: true, underline: true };
/** What leaves less room than this beside it is not put beside the text. */
const narrowest = 8;

const arms: { [T in Block["type"]]: (block: BlockOf<T>, options: RenderOptions) => Line[] } = {
  heading: ({ level, text }, options) => {
    const style = level === 1 ? firstHeadingStyle : headingStyle;
    const marks = options.marks ? [{ text: `${"#".repeat(level)} `, style }] : [];
    return wrap([...marks, ...inline(text, style, options)], options.width);
  },
  paragraph: ({ indent, text }, options) =>
    indented(indent, options, (width) => wrap(inline(text.trim(), plain, options), width)),
  item: ({ indent, marker, text }, options) =>
    indented(indent, options, (width) => {
      const mark = lineOf(`${/\d/.test(marker) ? marker : options.glyphs.bullet} `, dim);
      const spans = inline(text.trim(), plain, options);
      const room = width - lineWidth(mark);
      if (room < narrowest) return wrap([...mark, ...spans], width);
      return prefixed(wrap(spans, room), mark, lineOf(" ".repeat(width - room)));
    }),
  quote: ({ text }, options) => {
    const bar = lineOf(`${options.glyphs.bar} `, dim);
    const room = options.width - lineWidth(bar);
    if (room < narrowest) return renderMarkdown(text, options);
    return prefixed(renderMarkdown(text, { ...options, width: room }), bar);
  },
  fence: ({ indent, language }, options) =>
    indented(indent, options, (width) => {
      const line = lineOf(options.marks ? `\`\`\`${language}` : language, dim);
      return line.length > 0 ? chop(line, width) : [];
    }),
  code: ({ indent, text }, options) => indented(indent + 2, options, (width) => chop(lineOf(text, codeStyle), width)),
  table: ({ rows, aligned }, options) => table(rows, aligned, options),
  rule: (_, { width, glyphs }) => [lineOf(glyphs.rule.repeat(Math.min(width, 40)), dim)],
};

/** What is indented deeply must still have room. */
function indented(indent: number, { width }: RenderOptions, draw: (width: number) => Line[]): Line[] {
  const blanks = Math.min(indent, Math.max(0, Math.floor(width / 3)));
  const lines = draw(Math.max(width - blanks, 1));
  return blanks === 0 ? lines : prefixed(lines, lineOf(" ".repeat(blanks))).map((line) => (lineWidth(line) > blanks ? line : []));
}

/** A block as lines, with an empty one before it where it stands apart. */
function renderBlock(block: Block, options: RenderOptions): Line[] {
  // The table is indexed by the block's own type.
  const draw = arms[block.type] as (block: Block, options: RenderOptions) => Line[];
  const lines = draw(block, options);
  return block.gap ? [[], ...lines] : lines;
}

// What may yet become a heading, a list or a fence says nothing while it is alone.
const markAlone = /^ *(?:#{1,6}|[-*+_=>|]{1,3}|`{1,}|~{1,})$/;

/**
 * Markdown that comes in pieces. A block is final as soon as the next one begins, so that only the last is ever drawn twice; however the
 * text is cut, the lines are those of `renderMarkdown`.
 */
export class MarkdownStream {
  #state: BlockState = beginning;
  /** What has come of the line that is being written. */
  #partial = "";
  #final: Block[] = [];

  push(text: string): void {
    const end = text.lastIndexOf("\n");
    if (end !== -1) for (const line of (this.#partial + text.slice(0, end)).split("\n")) this.#line(line);
    this.#partial = end === -1 ? this.#partial + text : text.slice(end + 1);
  }

  /** No more comes. */
  end(): void {
    if (this.#partial !== "") this.#line(this.#partial);
    this.#final.push(...openBlocks(this.#state));
    this.#partial = "";
    this.#state = beginning;
  }

  /** The lines that became final since they were last taken. */
  take(options: RenderOptions): Line[] {
    const blocks = this.#final;
    this.#final = [];
    return blocks.flatMap((block) => renderBlock(block, options));
  }

  /** What has come since, as it looks so far. */
  unfinished(options: RenderOptions): Line[] {
    const isUndecided = this.#partial === "" || (markAlone.test(this.#partial) && !this.#state.open);
    const { state, blocks } = isUndecided ? { state: this.#state, blocks: [] } : nextLine(this.#state, this.#partial);
    const open = { ...options, open: true };
    return [...blocks, ...openBlocks(state)].flatMap((block) => renderBlock(block, open));
  }

  #line(line: string): void {
    const { state, blocks } = nextLine(this.#state, line);
    this.#state = state;
    this.#final.push(...blocks);
  }
}

/** Markdown as lines of a terminal, none wider than asked. */
export function renderMarkdown(text: string, options: RenderOptions): Line[] {
  const stream = new MarkdownStream();
  stream.push(text);
  stream.end();
  return stream.take(options);
}
