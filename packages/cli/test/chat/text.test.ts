import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytes, duration, money, tokens } from "../../src/chat/text/amounts.ts";
import { glyphsFor } from "../../src/chat/text/glyphs.ts";
import { clippedLine, lineOf, lineWidth, paint } from "../../src/chat/text/line.ts";
import { evident, oneLine, safeText } from "../../src/chat/text/safe-text.ts";
import { clipped, widthOf } from "../../src/chat/text/width.ts";
import { chop, wrap } from "../../src/chat/text/wrap.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

describe("text from elsewhere", () => {
  test.each([
    ["colours", "\u001B[31mred\u001B[0m", "[31mred[0m"],
    ["the clipboard", "\u001B]52;c;aGk=\u0007", "]52;c;aGk="],
    ["the title", "\u001B]0;title\u001B\\", "]0;title\\"],
    ["one-byte sequences", "\u009B2J\u009D0;x\u009C", "2J0;x"],
    ["carriage returns and backspaces", "safe\rrm -rf\b\b", "saferm -rf"],
    ["what reorders a line", "a\u202Eb\u2066c\u200F", "abc"],
    ["the bell and NUL", "\u0007\u0000x", "x"],
  ])("cannot use %s", (_, text, safe) => expect(safeText(text)).toBe(safe));

  test("keeps its lines, its blanks, its accents and its emoji", () => {
    expect(safeText("a\r\n\tb é 👩‍👩‍👧 नि")).toBe("a\n    b é 👩‍👩‍👧 नि");
  });

  test("is as safe in pieces as it is whole", () => {
    const property = fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, at) => {
      const safe = safeText(text.slice(0, at)) + safeText(text.slice(at));
      expect(safe).toBe(safeText(text));
      expect(safe).not.toMatch(/[^\P{Cc}\n]/u);
    });
    fc.assert(property, { numRuns: runs(300, 20_000) });
  });

  test("that somebody has to judge shows all that it holds", () => {
    expect(evident('{"path":"a\u202E\u200Bb\u{E0041}"}')).toBe('{"path":"a\\u{202e}\\u{200b}b\\u{e0041}"}');
    expect(oneLine(" a\n\n b\u001B ")).toBe("a b");
  });
});

describe("widths", () => {
  test.each([
    ["abc", 3],
    ["漢字", 4],
    ["e\u0301", 1],
    ["👩‍👩‍👧", 2],
    ["🇳🇴", 2],
    ["❤️", 2],
    ["ｆ", 2],
    ["한글", 4],
    ["→✓│", 3],
    ["", 0],
  ])("%s takes its columns", (text, width) => expect(widthOf(text)).toBe(width));

  test("what does not fit is clipped with a mark", () => {
    expect([clipped("abcdef", 4), clipped("漢字漢", 4), clipped("abc", 3), clipped("abc", 0)]).toEqual([
      "abc…",
      "漢…",
      "abc",
      "",
    ]);
    expect(paint(clippedLine([...lineOf("abc"), ...lineOf("def")], 5), false)).toBe("abcd…");
  });
});

describe("wrapping", () => {
  const textOf = (lines: readonly (readonly { text: string }[])[]): string[] =>
    lines.map((line) => line.map(({ text }) => text).join(""));

  test("breaks between words, and inside what is too long or wide", () => {
    expect(textOf(wrap(lineOf("one two  three"), 8))).toEqual(["one two", "three"]);
    expect(textOf(wrap(lineOf("abcdefghij k"), 4))).toEqual(["abcd", "efgh", "ij k"]);
    expect(textOf(wrap(lineOf("読むabcです"), 6))).toEqual(["読む", "abcで", "す"]);
    expect(textOf(wrap([...lineOf("un"), ...lineOf("break", { bold: true }), ...lineOf("able x")], 11))).toEqual([
      "unbreakable",
      "x",
    ]);
    expect(textOf(chop(lineOf("a  b  c"), 3))).toEqual(["a  ", "b  ", "c"]);
  });

  test("loses nothing but blanks, and no row is too wide", () => {
    const unit = fc.constantFrom("a", "bc", " ", "  ", "漢", "👩‍👩‍👧", "e\u0301", "\n");
    const property = fc.property(
      fc.array(fc.string({ unit }), { maxLength: 4 }),
      fc.integer({ min: 2, max: 20 }),
      (parts, width) => {
        const line = parts.flatMap((text, index) => lineOf(text, index % 2 === 0 ? {} : { bold: true }));
        const lines = wrap(line, width);
        for (const row of lines) expect(lineWidth(row)).toBeLessThanOrEqual(width);
        expect(textOf(lines).join("").replaceAll(/\s/g, "")).toBe(parts.join("").replaceAll(/\s/g, ""));
      },
    );
    fc.assert(property, { numRuns: runs(300, 20_000) });
  });
});

test("amounts are short", () => {
  expect([duration(0), duration(3_210), duration(59_600), duration(125_000)]).toEqual(["0.1 s", "3.2 s", "60 s", "2 min 5 s"]);
  expect([bytes(12), bytes(4_200), bytes(17_300_000)]).toEqual(["12 B", "4.2 kB", "17 MB"]);
  expect([tokens(812), tokens(4_210), tokens(170_400)]).toEqual(["812", "4.2k", "170k"]);
  expect([money(0), money(1.234), money(0.00123)]).toEqual(["$0.00", "$1.23", "$0.0012"]);
});

test("letters alone are used where the locale has no others", () => {
  expect(glyphsFor({ LANG: "C" }).bullet).toBe("*");
  expect(glyphsFor({ TERM: "dumb" }).arrow).toBe("->");
  expect(glyphsFor({ LANG: "de_DE.UTF-8" }).bullet).toBe("•");
  expect(glyphsFor({}).bullet).toBe("•");
});
