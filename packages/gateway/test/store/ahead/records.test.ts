import { describe, expect, test } from "vitest";
import { aheadRecords, begunLine, endedLine } from "../../../src/store/sqlite/ahead-records.ts";
import { rowOf, type RunEnd } from "../../../src/store/sqlite/response-rows.ts";
import { responseTexts, stateTexts } from "../../../src/store/texts.ts";
import { completed, holder, message, stored } from "../suite/subject.ts";

const odd = stored({
  id: 'resp_"odd"\\',
  previous: "resp_before",
  conversation: "conv_x",
  background: true,
  input: [message('a\0b é \u{1F600} \ud800 \n\u2028 "quoted" \\')],
  request: { model: "m", metadata: { "1": "one", a: "two", __proto__: "three" } },
});
const row = rowOf(odd, responseTexts(odd), holder("w", 5), 1_000);
const end: RunEnd = { id: odd.id, worker: "w", status: "completed", ...stateTexts(completed(odd.id, "line\nfeed")) };
const plain = rowOf(stored(), responseTexts(stored()), undefined, 1_000);
const [begun, ended, begunPlain] = [begunLine(row), endedLine(end), begunLine(plain)].map((pieces) => pieces.join(""));

describe("records that are written ahead", () => {
  test("are read as they were written, to the letter", () => {
    expect(aheadRecords(`${begun}${ended}${begunPlain}`)).toEqual([{ begun: row }, { ended: end }, { begun: plain }]);
  });

  test("count up to the first that is not whole, wherever the file was torn", () => {
    const lines = [begun, ended, begunPlain];
    const text = lines.join("");
    const ends = lines.map((_, index) => lines.slice(0, index + 1).join("").length);
    for (let length = 0; length <= text.length; length += 1)
      expect(aheadRecords(text.slice(0, length))).toHaveLength(ends.filter((at) => at <= length).length);
  });

  test.each(["\n", "{}\n", "[]\n", "null\n", '["begun",[],1,2,3,4]\n', '["other",[1,2,3],1,2]\n', "\0\0\0\0\n"])(
    "end before a line that is none: %j",
    (line) => {
      expect(aheadRecords(`${ended}${line}${ended}`)).toEqual([{ ended: end }]);
    },
  );
});
