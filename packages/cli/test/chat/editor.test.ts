import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edited } from "../../src/chat/editor/editor.ts";
import { remembered } from "../../src/chat/editor/history.ts";
import { completed } from "../../src/chat/editor/menu.ts";
import { emptyEditor, type EditorState, type EditorStep } from "../../src/chat/editor/state.ts";
import { editorView, writtenLines } from "../../src/chat/editor/view.ts";
import type { Key } from "../../src/chat/keys/keys.ts";
import { lineWidth, paint } from "../../src/chat/text/line.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

/** Keys as they are written here: names in angle brackets, all else is typed. */
const keysIn = (written: string): Key[] =>
  Array.from(written.matchAll(/<([a-z-_]+)>|([^<]+)/g), ([, name, text]): Key =>
    name ? { type: "key", name } : { type: "text", text: text! },
  );

const after = (written: string, state: EditorState = emptyEditor([])): EditorStep =>
  keysIn(written).reduce<EditorStep>((step, key) => edited(step.state, key), { state });

/** The text with the cursor in it. */
const shown = ({ text, cursor }: EditorState): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe("editing", () => {
  test.each([
    ["abc<left><left>x", "ax|bc"],
    ["one two<ctrl-a>X<ctrl-e>Y", "Xone twoY|"],
    ["one two three<alt-b><alt-b>", "one |two three"],
    ["one two<home><ctrl-right>", "one| two"],
    ["one two<ctrl-w>", "one |"],
    ["one two<ctrl-w><ctrl-y><ctrl-y>", "one twotwo|"],
    ["one two<alt-b><ctrl-k>", "one |"],
    ["one two<alt-b><ctrl-u>", "|two"],
    ["one-two<alt-backspace>", "one-|"],
    ["ab<ctrl-t>", "ba|"],
    ["a👩‍👩‍👧e\u0301<backspace><backspace>b", "ab|"],
    ["漢字<left><delete>", "漢|"],
    ["abc<ctrl-b><ctrl-d>", "ab|"],
    ["a<alt-enter>b<ctrl-j>c", "a\nb\nc|"],
    ["a\\<enter>b", "a\nb|"],
    ["ab<alt-enter>cde<up>", "ab|\ncde"],
    ["abc<alt-enter>d<up><down>", "abc\nd|"],
    ["a<alt-enter>b<ctrl-a><ctrl-u>", "a|b"],
    ["x<page-up><escape>", "x|"],
  ])("%s gives %s", (written, expected) => expect(shown(after(written).state)).toBe(expected));

  test("Enter sends what was written, and nothing where that is nothing", () => {
    expect(after("hello<enter>").effect).toBe("submit");
    expect(after("  <enter>").effect).toBeUndefined();
  });

  test("Ctrl-C clears the line, warns on an empty one, and then quits", () => {
    expect(shown(after("abc<ctrl-c>").state)).toBe("|");
    expect(after("<ctrl-c>").state.isLeaving).toBe(true);
    expect(after("<ctrl-c><ctrl-c>").effect).toBe("quit");
    expect(after("<ctrl-c>a<backspace><ctrl-c>").effect).toBeUndefined();
    expect(after("<ctrl-d>").effect).toBe("quit");
  });

  test("what is pasted cannot give the terminal orders", () => {
    const { state } = edited(emptyEditor([]), { type: "paste", text: "a\u001B[2Jb\nc" });
    expect(state.text).toBe("a[2Jb\nc");
  });

  test("the cursor stays in the text and in the window, whatever is pressed", () => {
    const key = fc.constantFrom(
      ...["a", "👩‍👩‍👧", "e\u0301", " ", "\n", "漢"].map((text): Key => ({ type: "text", text })),
      ..."left right up down home end backspace delete ctrl-w ctrl-k ctrl-u ctrl-y ctrl-t alt-b alt-f ctrl-r tab enter escape"
        .split(" ")
        .map((name): Key => ({ type: "key", name })),
    );
    const property = fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 6, max: 30 }), (keys, width) => {
      let state = emptyEditor(["old", "two\nlines", "漢字"]);
      for (const one of keys) ({ state } = edited(state, one));
      expect(state.cursor).toBeLessThanOrEqual(state.text.length);
      const { lines, cursor } = editorView(state, width, 8);
      for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.length).toBeLessThanOrEqual(8);
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThan(width);
    });
    fc.assert(property, { numRuns: runs(300, 20_000) });
  });
});

describe("history", () => {
  const state = emptyEditor(["first", "second line\nof two", "third"]);

  test.each([
    ["draft<up>", "third|"],
    ["draft<up><up><up>", "second| line\nof two"],
    ["draft<up><down>", "draft|"],
    ["<up><up><up><up><up>", "first|"],
    ["<ctrl-r>LINE", "second |line\nof two"],
    ["<ctrl-r>ir<ctrl-r>", "f|irst"],
    ["x<ctrl-r>first<ctrl-g>", "x|"],
    ["<ctrl-r>first<ctrl-e>!", "first!|"],
    ["<ctrl-r>nowhere", "|"],
    ["<ctrl-r>firstX<backspace>", "|first"],
  ])("%s gives %s", (written, expected) => expect(shown(after(written, state).state)).toBe(expected));

  test("what was found can be sent at once", () => expect(after("<ctrl-r>first<enter>", state).effect).toBe("submit"));

  test("what is said twice in a row is kept once", () => {
    expect(remembered(remembered(["a"], "b"), "b")).toEqual(["a", "b"]);
  });
});

describe("completion", () => {
  const candidates = ["/model", "/more"].map((text) => ({ text, label: text }));

  test("goes as far as all agree, then lists, then goes round", () => {
    const { state, effect } = after("/m<tab>");
    expect(effect).toBe("complete");
    const once = completed(state, { from: 0, candidates });
    expect(shown(once)).toBe("/mo|");
    expect(shown(after("<tab>", once).state)).toBe("/model|");
    expect(shown(after("<tab><tab>", once).state)).toBe("/more|");
    expect(shown(after("<tab><tab><tab>", once).state)).toBe("/model|");
    expect(shown(after("<shift-tab>", once).state)).toBe("/more|");
    expect(after("<tab>x", once).state.menu).toBeUndefined();
  });

  test("keeps what stands behind the cursor", () => {
    const { state } = after("/m rest<home><right><right>");
    expect(shown(completed(state, { from: 0, candidates: candidates.slice(0, 1) }))).toBe("/model| rest");
  });

  test("does nothing where there is nothing", () => {
    const { state } = after("/x");
    expect(completed(state, { from: 0, candidates: [] })).toBe(state);
  });
});

test("what is written is broken where a row is full, and shown around the cursor where it is too high", () => {
  const { state } = after("abcdefghij");
  const { lines, cursor } = editorView(state, 8, 5);
  expect(lines.map((line) => paint(line, false))).toEqual(["> abcde", "  fghij"]);
  expect(cursor).toEqual({ row: 1, column: 7 });
  expect(writtenLines("abcdefghij", 8)).toEqual(lines);
  const high = after("a<ctrl-j>b<ctrl-j>c<ctrl-j>d").state;
  expect(editorView(high, 8, 2).lines.map((line) => paint(line, false))).toEqual(["  c", "  d"]);
});
