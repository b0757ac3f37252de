import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeyDecoder, type Key } from "../../src/chat/keys/keys.ts";
import { runs } from "../../../antiphon/test/support/runs.ts";

const decoded = (...pieces: string[]): string[] => {
  const decoder = new KeyDecoder();
  return pieces.flatMap((piece) => decoder.push(piece)).map(shown);
};
const shown = (key: Key): string => (key.type === "key" ? key.name : `${key.type}:${key.text}`);

describe("keys", () => {
  test.each([
    ["\r", "enter"],
    ["\n", "ctrl-j"],
    ["\u007F", "backspace"],
    ["\u0001", "ctrl-a"],
    ["\u001B[A", "up"],
    ["\u001BOA", "up"],
    ["\u001B[1;5C", "ctrl-right"],
    ["\u001B[1;3D", "alt-left"],
    ["\u001B[3~", "delete"],
    ["\u001B[H", "home"],
    ["\u001B[4~", "end"],
    ["\u001B[Z", "shift-tab"],
    ["\u001Bb", "alt-b"],
    ["\u001B\r", "alt-enter"],
    ["\u001B\u007F", "alt-backspace"],
    ["\u001B[13;2u", "shift-enter"],
    ["\u001B[99;5u", "ctrl-c"],
    ["é漢", "text:é漢"],
  ])("%j is %s", (sequence, name) => expect(decoded(sequence)).toEqual([name]));

  test("a paste is one piece, with its lines, and no key inside it is one", () => {
    expect(decoded("a\u001B[200~x\r\ny\u0003\u001B[A", "z\u001B[20", "1~b")).toEqual([
      "text:a",
      "paste:x\ny\u0003\u001B[Az",
      "text:b",
    ]);
  });

  test("an escape is a key when nothing follows it", () => {
    const decoder = new KeyDecoder();
    expect(decoder.push("\u001B")).toEqual([]);
    expect(decoder.isWaiting).toBe(true);
    expect(decoder.flush().map(shown)).toEqual(["escape"]);
    expect(decoder.flush()).toEqual([]);
  });

  test("sequences of no meaning are no text", () => {
    expect(decoded("\u001B[?1;2c", "\u001B[24;80R", "\u001B[<0;1;1M", "\u0000x")).toEqual(["text:x"]);
  });

  test("however they come in pieces, keys are the same", () => {
    const sequence = fc.constantFrom(
      "a",
      "é",
      "👍",
      "\r",
      "\u0003",
      "\u001B[A",
      "\u001B[1;5D",
      "\u001Bb",
      "\u001B[3~",
      "\u001B[200~p\rq\u001B[201~",
    );
    const joined = (keys: readonly Key[]): string => keys.map(shown).join(" ").replaceAll(" text:", "").replaceAll("text:", "");
    const property = fc.property(fc.array(sequence), fc.array(fc.nat(80)), (sequences, cuts) => {
      const whole = sequences.join("");
      const places = [0, ...cuts.filter((cut) => cut < whole.length).toSorted((a, b) => a - b), whole.length];
      const pieces = places.slice(1).map((to, index) => whole.slice(places[index], to));
      const decoder = new KeyDecoder();
      expect(joined(pieces.flatMap((piece) => decoder.push(piece)))).toBe(joined(new KeyDecoder().push(whole)));
    });
    fc.assert(property, { numRuns: runs(300, 20_000) });
  });

  test("nothing that a terminal sends breaks it", () => {
    const property = fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
      const decoder = new KeyDecoder();
      for (const piece of pieces) decoder.push(piece);
      decoder.flush();
    });
    fc.assert(property, { numRuns: runs(200, 20_000) });
  });
});
