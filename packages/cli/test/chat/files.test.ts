import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readMessage } from "../../src/chat/attachments.ts";
import { completionOf } from "../../src/chat/completion.ts";
import { Conversation } from "../../src/chat/conversation.ts";
import { addToHistory, loadHistory } from "../../src/chat/history-file.ts";

const folder = mkdtempSync(join(tmpdir(), "antiphon-files-"));
const put = (name: string, content: string | Uint8Array = "x"): void => writeFileSync(join(folder, name), content);
mkdirSync(join(folder, "sub folder"));
mkdirSync(join(folder, "empty"));
for (const name of ["notes.txt", "notes.md", ".hidden", "sub folder/deep.txt", "end."]) put(name);
put("nothing.txt", "");
put("report v2.pdf", "%PDF-1.7");
put("data.bin", new Uint8Array([0xff, 0x00, 0xfe]));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("files in a message", () => {
  test("text goes along as text, all else as what it is, and the words stay as they were", async () => {
    const { input, attached, problems } = await readMessage('Compare @notes.txt, (@"report v2.pdf") and @data.bin.', folder);
    expect(attached).toEqual([
      "notes.txt (text/plain, 1 B)",
      "report v2.pdf (application/pdf, 8 B)",
      "data.bin (application/octet-stream, 3 B)",
    ]);
    expect(problems).toEqual([]);
    expect(input).toMatchObject({
      role: "user",
      content: [
        { type: "input_text", text: 'Compare @notes.txt, (@"report v2.pdf") and @data.bin.' },
        { type: "input_text", text: "notes.txt:\n\nx" },
        { type: "input_file", filename: "report v2.pdf" },
        { type: "input_file", filename: "data.bin" },
      ],
    });
  });

  test("a file is sent once, and a stop at its end is its own where there is such a file", async () => {
    expect((await readMessage("@notes.txt and @notes.txt", folder)).attached).toHaveLength(1);
    expect((await readMessage("Read @end.", folder)).attached).toEqual(["end. (text/plain, 1 B)"]);
  });

  test("what names no file is text, and is told where a file was meant", async () => {
    const message = "Ask @ada or ada@example.org about @missing.txt, @empty/ and @nothing.txt";
    const { input, problems } = await readMessage(message, folder);
    expect(input).toBe(message);
    expect(problems).toEqual([
      "There is no file missing.txt; it was sent as text.",
      "empty/ is a folder; name a file in it.",
      "nothing.txt is empty and was not sent.",
    ]);
  });
});

describe("completion", () => {
  const candidates = async (text: string): Promise<string[]> => {
    const conversation = await Conversation.open({ model: "offline" });
    return completionOf(text, text.length, conversation, folder).candidates.map((one) => one.text);
  };

  test.each([
    ["read @notes", ["@notes.md", "@notes.txt"]],
    ["read @re", ['@"report v2.pdf" ']],
    ["@sub", ['@"sub folder/']],
    ['@"sub folder/', ['@"sub folder/deep.txt" ']],
    ["@.h", ["@.hidden "]],
    ["@nowhere/x", []],
    ["ada@no", []],
    ["/mo", ["/model "]],
    ["/s", ["/save", "/stats"]],
    ["/verbosity ", ["low", "medium", "high"]],
    ["/verbosity h", ["high "]],
    ["/nope x", []],
    ["words", []],
  ])("%s", async (text, expected) => expect(await candidates(text)).toEqual(expected));

  test("files that are hidden are offered where they are asked for", async () => {
    expect(await candidates("@")).not.toContain("@.hidden");
  });
});

describe("history", () => {
  test("is kept for its owner alone, survives broken lines, and stays short", () => {
    const path = join(folder, "state/history");
    expect(loadHistory(path)).toEqual([]);
    addToHistory(path, "one");
    addToHistory(path, "two\nlines");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, '{"no":1}\ntorn"\n', { flag: "a" });
    addToHistory(path, "three");
    expect(loadHistory(path)).toEqual(["one", "two\nlines", "three"]);
    writeFileSync(path, Array.from({ length: 2_500 }, (_, at) => `"${at}"\n`).join(""));
    expect(loadHistory(path)).toHaveLength(1_000);
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(1_001);
    expect(loadHistory(path).at(-1)).toBe("2499");
  });

  test("that cannot be written is no reason to stop", () => {
    expect(() => addToHistory(join(folder, "notes.txt/history"), "x")).not.toThrow();
    expect(loadHistory(undefined)).toEqual([]);
  });
});
