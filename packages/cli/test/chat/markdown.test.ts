import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MarkdownStream, renderMarkdown, type RenderOptions } from "../../src/chat/markdown/render.ts";
import { glyphsFor } from "../../src/chat/text/glyphs.ts";
import { lineWidth, paint, type Line } from "../../src/chat/text/line.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

const at = (width: number, more: Partial<RenderOptions> = {}): RenderOptions => ({ width, glyphs: glyphsFor({}), ...more });
const textOf = (lines: readonly Line[]): string[] => lines.map((line) => paint(line, false));
const plainly = (markdown: string, width = 40, more: Partial<RenderOptions> = {}): string[] =>
  textOf(renderMarkdown(markdown, at(width, more)));

describe("blocks", () => {
  test("headings, paragraphs, lists, quotes and rules stand as they were written", () => {
    const markdown = `# Title
Some *text*
that goes on.
- one
- two
  - deeper
1. first
> wise
> words

---
End`;
    expect(plainly(markdown)).toEqual([
      "Title",
      "Some text that goes on.",
      "• one",
      "• two",
      "  • deeper",
      "1. first",
      "│ wise words",
      "",
      "─".repeat(40),
      "End",
    ]);
  });

  test("code keeps its blanks, stands apart, and is told by its language", () => {
    expect(plainly("Look:\n```ts\nif (a) {\n  b();\n}\n\n```\nDone")).toEqual([
      "Look:",
      "",
      "ts",
      "  if (a) {",
      "    b();",
      "  }",
      "",
      "",
      "Done",
    ]);
  });

  test("code inside a list is indented with it", () => {
    expect(plainly("1. Do this:\n   ```sh\n   ls -l\n   ```\n2. Then that")).toEqual([
      "1. Do this:",
      "",
      "   sh",
      "     ls -l",
      "",
      "2. Then that",
    ]);
  });

  test("a fence inside a longer fence is code", () => {
    expect(plainly("````md\n```ts\nx\n```\n````")).toEqual(["md", "  ```ts", "  x", "  ```"]);
  });

  test("the second paragraph of a list item stays with it", () => {
    expect(plainly("- one\n\n  more\n\nafter")).toEqual(["• one", "", "  more", "", "after"]);
  });

  test("a year at the beginning of a line of prose is no list", () => {
    expect(plainly("It was in\n1986. So long ago.")).toEqual(["It was in 1986. So long ago."]);
  });

  test("two blanks at the end of a line keep the lines of a poem apart", () => {
    expect(plainly("Roses  \nViolets\\\nDaisies\nTulips")).toEqual(["Roses", "Violets", "Daisies Tulips"]);
  });
});

describe("tables", () => {
  const markdown = "| Name | Price |\n|:--|--:|\n| Apple | 1 |\n| Pear \\| plum | 12.50 |";

  test("columns are aligned", () => {
    expect(plainly(markdown)).toEqual([
      "Name        │ Price",
      "────────────┼──────",
      "Apple       │     1",
      "Pear | plum │ 12.50",
    ]);
  });

  test("cells wrap where the window is narrow", () => {
    expect(plainly(markdown, 16)).toEqual([
      "Name     │ Price",
      "─────────┼──────",
      "Apple    │     1",
      "Pear |   │ 12.50",
      "plum     │ ",
    ]);
  });

  test("rows become lists where columns would be too narrow to read", () => {
    expect(plainly("|aaaaaa|bbbbbb|cccccc|\n|-|-|-|\n|111111|222222|333333|\n|4|5|6|", 18)).toEqual([
      "aaaaaa: 111111",
      "bbbbbb: 222222",
      "cccccc: 333333",
      "",
      "aaaaaa: 4",
      "bbbbbb: 5",
      "cccccc: 6",
    ]);
  });

  test("a line with a bar in it is no table before its rule has come", () => {
    expect(plainly("a | b\nc | d")).toEqual(["a | b c | d"]);
  });
});

describe("inline marks", () => {
  const styles = (markdown: string): [string, object][] =>
    renderMarkdown(markdown, at(80)).flatMap((line) => line.map(({ text, style }): [string, object] => [text, style]));

  test.each<[string, [string, object][]]>([
    [
      "**a** b",
      [
        ["a", { bold: true }],
        [" b", {}],
      ],
    ],
    [
      "*a* and _b_",
      [
        ["a", { italic: true }],
        [" and ", {}],
        ["b", { italic: true }],
      ],
    ],
    ["***a***", [["a", { bold: true, italic: true }]]],
    [
      "**a *b***",
      [
        ["a ", { bold: true }],
        ["b", { bold: true, italic: true }],
      ],
    ],
    ["~~a~~", [["a", { strike: true }]]],
    ["`a*b*`", [["a*b*", { colour: "cyan" }]]],
    ["`` a`b ``", [["a`b", { colour: "cyan" }]]],
    [
      "*a `code` b ` c",
      [
        ["*a ", {}],
        ["code", { colour: "cyan" }],
        [" b ` c", {}],
      ],
    ],
    ["snake_case_name and 2 * 3 * 4", [["snake_case_name and 2 * 3 * 4", {}]]],
    ["\\*a\\*", [["*a*", {}]]],
    [
      "[x](http://a.b/c_(d))",
      [
        ["x", { underline: true }],
        [" (http://a.b/c_(d))", { dim: true }],
      ],
    ],
    [
      "![cat](cat.png)",
      [
        ["image: cat", {}],
        [" (cat.png)", { dim: true }],
      ],
    ],
    ["[half](http://", [["[half](http://", {}]]],
  ])("%s", (markdown, expected) => expect(styles(markdown)).toEqual(expected));

  test("without styles the marks stay", () => {
    expect(plainly("## A\n**b** `c`", 40, { marks: true })).toEqual(["## A", "**b** `c`"]);
  });

  test("reading is linear, whatever is left open", () => {
    const open = `${"*a _b **c [e ".repeat(5_000)}\``;
    expect(plainly(open, 1_000_000)).toEqual([open]);
  });
});

// The alphabet that Markdown is made of, so that chance makes much of it.
const markdown = fc
  .array(
    fc.constantFrom(
      "a",
      "word ",
      "\n",
      "\n\n",
      "- ",
      "1. ",
      "# ",
      "```",
      "```ts\n",
      "`",
      "*",
      "**",
      "_",
      "|",
      "|-|-|\n",
      "> ",
      "  ",
      "[x](y)",
      "\\",
      "~~",
      "---\n",
      "漢",
      "👩‍👩‍👧",
      "e\u0301",
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(""));

describe("streaming", () => {
  test("however the text is cut, the lines are those of the whole", () => {
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    const property = fc.property(markdown, cuts, fc.integer({ min: 4, max: 60 }), (text, places, width) => {
      const stream = new MarkdownStream();
      const lines: Line[] = [];
      let from = 0;
      for (const to of [...places.filter((place) => place < text.length).toSorted((a, b) => a - b), text.length]) {
        stream.push(text.slice(from, to));
        from = to;
        lines.push(...stream.take(at(width)));
        stream.unfinished(at(width));
      }
      stream.end();
      expect([...lines, ...stream.take(at(width))]).toEqual(renderMarkdown(text, at(width)));
    });
    fc.assert(property, { numRuns: runs(300, 20_000) });
  });

  test("no line is wider than the window", () => {
    const nested = fc
      .tuple(fc.array(fc.constantFrom("> ", "- ", "1. ", "123456789. ", "  ")), markdown)
      .map(([marks, text]) => marks.join("") + text);
    const property = fc.property(nested, fc.integer({ min: 8, max: 60 }), (text, width) => {
      for (const line of renderMarkdown(text, at(width))) expect(lineWidth(line)).toBeLessThanOrEqual(width);
    });
    fc.assert(property, { numRuns: runs(300, 20_000), examples: [["> 1. ```|-|-|\n", 12]] });
  });

  test("what is not closed yet looks as if it were", () => {
    const stream = new MarkdownStream();
    stream.push("This is **bo");
    expect(textOf(stream.unfinished(at(40)))).toEqual(["This is bo"]);
    stream.end();
    expect(textOf(stream.take(at(40)))).toEqual(["This is **bo"]);
  });

  test("code is shown line by line, and marks that may become anything are not shown alone", () => {
    const stream = new MarkdownStream();
    stream.push("```ts\nlet a;\nlet");
    expect(textOf(stream.take(at(40)))).toEqual(["ts", "  let a;"]);
    expect(textOf(stream.unfinished(at(40)))).toEqual(["  let"]);
    stream.push(" b;\n```\n\n##");
    expect(textOf(stream.take(at(40)))).toEqual(["  let b;"]);
    expect(stream.unfinished(at(40))).toEqual([]);
  });
});
