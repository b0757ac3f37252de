import xterm from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Screen, type Frame } from "../../src/chat/screen.ts";
import { lineOf, paint } from "../../src/chat/text/line.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

const columns = 12;
const rows = 6;

const written = async (terminal: xterm.Terminal, data: string): Promise<void> =>
  new Promise((resolve) => terminal.write(data, resolve));

const contentOf = ({ buffer: { active } }: xterm.Terminal): string[] =>
  Array.from({ length: active.baseY + active.cursorY + rows }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");

const line = fc
  .string({ unit: fc.constantFrom("a", "b", " ", "漢"), maxLength: columns / 2 })
  .map((text) => lineOf(text.trimEnd()));
const full = fc.constantFrom(lineOf("x".repeat(columns)), lineOf("漢".repeat(columns / 2)));
const lines = (maxLength: number) => fc.array(fc.oneof(line, full), { maxLength });
const frame: fc.Arbitrary<Frame> = fc
  .record({ settled: lines(8), live: lines(rows - 1), place: fc.nat(100), hasCursor: fc.boolean() })
  .map(({ settled, live, place, hasCursor }) => {
    const cursor = { row: place % Math.max(1, live.length), column: place % 5 };
    return { settled, live, ...(hasCursor && live.length > 0 && { cursor }) };
  });

test("whatever was shown before, the terminal shows what stays and then what is live, with the cursor in its place", async () => {
  const property = fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 8 }), async (frames) => {
    const terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 200, allowProposedApi: true });
    const screen = new Screen(columns, true);
    const settled: string[] = [];
    for (const next of frames) {
      await written(terminal, screen.draw(next));
      settled.push(...(next.settled ?? []).map((one) => paint(one, false)));
      const live = next.live.map((one) => paint(one, false));
      const expected = [...settled, ...live].join("\n").trimEnd();
      expect(contentOf(terminal).join("\n").trimEnd()).toBe(expected);
      const { active } = terminal.buffer;
      if (next.cursor)
        expect({ row: active.baseY + active.cursorY, column: active.cursorX }).toEqual({
          row: settled.length + next.cursor.row,
          column: next.cursor.column,
        });
    }
  });
  await fc.assert(property, { numRuns: runs(150, 5_000) });
});

test("lines that stay the same are not written again", () => {
  const screen = new Screen(40, false);
  screen.draw({ live: [lineOf("one"), lineOf("two"), lineOf("thr")] });
  const out = screen.draw({ settled: [lineOf("one")], live: [lineOf("two"), lineOf("three")] });
  expect(out).toBe("\rthree\u001B[K");
  expect(screen.draw({ live: [lineOf("two"), lineOf("three")] })).toBe("");
});

test("lines that are gone are erased", () => {
  const screen = new Screen(40, false);
  screen.draw({ live: [lineOf("one"), lineOf("two"), lineOf("three")] });
  expect(screen.draw({ live: [lineOf("one")] })).toBe("\u001B[2A\rone\u001B[K\r\n\u001B[K\r\n\u001B[K\u001B[2A\r\u001B[3C");
});
