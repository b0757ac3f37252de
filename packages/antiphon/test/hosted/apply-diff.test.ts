import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyDiff, createdText } from "../../src/hosted/apply-diff.ts";
import { runs } from "../support/runs.ts";

const file = `import os

class Cat:
    def speak(self):
        return "meow"

class Dog:
    def speak(self):
        return "woof"
`;

describe("a diff", () => {
  test("replaces lines between lines of context", () => {
    const diff = `@@
 class Cat:
     def speak(self):
-        return "meow"
+        return "purr"
`;
    expect(applyDiff(file, diff)).toBe(file.replace("meow", "purr"));
  });

  test("is led to its place by the lines behind @@, each below the one before", () => {
    const diff = `@@ class Dog:
@@     def speak(self):
-        return "woof"
+        return "bark"
+        # loudly
`;
    expect(applyDiff(file, diff)).toBe(file.replace('return "woof"\n', 'return "bark"\n        # loudly\n'));
  });

  test("may repeat the line that leads to it as context", () => {
    expect(applyDiff(file, "@@ class Dog:\n class Dog:\n-    def speak(self):\n+    def talk(self):\n")).toContain(
      "class Dog:\n    def talk(self):",
    );
  });

  test("changes several places from top to bottom, so that the same lines can be meant twice", () => {
    const hunk = "@@\n     def speak(self):\n+        self.log()\n";
    expect(applyDiff(file, hunk + hunk)).toBe(file.replaceAll("speak(self):\n", "speak(self):\n        self.log()\n"));
  });

  test("puts lines in behind the line that leads there, or at the end", () => {
    expect(applyDiff(file, "@@ import os\n+import sys\n")).toBe(file.replace("import os\n", "import os\nimport sys\n"));
    expect(applyDiff(file, "@@\n+# end\n*** End of File\n")).toBe(`${file}# end\n`);
    expect(applyDiff("", "@@\n+one\n+two\n")).toBe("one\ntwo\n");
  });

  test("takes the last place for lines that end the file", () => {
    expect(applyDiff("a\nx\na\n", "@@\n-a\n+b\n*** End of File")).toBe("a\nx\nb\n");
  });

  test("forgives lost blanks, and keeps those of the file", () => {
    expect(applyDiff("\tif x:  \n\t\ty()\n", "@@\n if x:\n-y()\n+\t\tz()\n")).toBe("\tif x:  \n\t\tz()\n");
  });

  test("reads an empty line as an empty line of context, and a frame of many files as nothing", () => {
    const diff = "*** Begin Patch\n*** Update File: cats.py\n@@\n import os\n\n-class Cat:\n+class Tiger:\n*** End Patch\n";
    expect(applyDiff(file, diff)).toBe(file.replace("class Cat", "class Tiger"));
  });

  test("leaves line ends and a missing last newline as they are", () => {
    expect(applyDiff("one\r\ntwo\r\nthree", "@@\n one\n-two\n+2\n three\n+four\n")).toBe("one\r\n2\r\nthree\r\nfour");
    expect(applyDiff("one\ntwo", "@@\n-two\n")).toBe("one");
  });

  test.each([
    ["@@\n-no such line\n+x\n", /Change 1 does not match the file. The file does not contain these lines:\nno such line/],
    [
      "@@ def nowhere():\n     def speak(self):\n+        pass\n",
      /Change 1: the file does not contain its anchor line "def nowhere\(\):"/,
    ],
    ["@@\n+where?\n", /only adds lines and does not show where/],
    ["@@\n just context\n", /changes nothing/],
    ["", /changes nothing/],
    ["@@\n-import os\n+import sys\nimport re\n", /does not begin with a space, "\+" or "-": import re/],
    ["@@\n-class Dog:\n+class Wolf:\n@@\n-class Cat:\n+class Lynx:\n", /Change 2 does not match/],
  ])("that fits nowhere for certain is an error: %j", (diff, message) => expect(() => applyDiff(file, diff)).toThrow(message));

  test("whose leading line is missing still fits where its lines are there once", () => {
    expect(applyDiff(file, "@@ -1,3 +1,3 @@\n-import os\n+import sys\n")).toBe(file.replace("import os", "import sys"));
  });

  const line = fc.stringMatching(/^[a-z ]{0,6}$/);
  const change = fc.record({ at: fc.nat(30), remove: fc.nat(3), add: fc.array(line, { maxLength: 3 }) });

  test("made of any change of a file of distinct lines gives the changed file", () => {
    const property = fc.property(
      fc.array(line, { minLength: 2, maxLength: 40 }),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom("\n", "\r\n"),
      (texts, changes, ended, newline) => {
        const lines = texts.map((text, index) => `${index}:${text}`);
        const { diff, result } = edited(lines, changes);
        const whole = (list: readonly string[]): string => list.join(newline) + (ended && list.length > 0 ? newline : "");
        if (diff !== "") expect(applyDiff(whole(lines), diff)).toBe(whole(result));
      },
    );
    fc.assert(property, { numRuns: runs(300, 50_000) });
  });
});

/** Changes from top to bottom with a line of context on each side: the diff, and what it should give. */
function edited(
  lines: readonly string[],
  changes: readonly { at: number; remove: number; add: string[] }[],
): { diff: string; result: string[] } {
  const result: string[] = [];
  let diff = "";
  let from = 0;
  for (const { at, remove, add } of [...changes].sort((a, b) => a.at - b.at)) {
    const start = Math.max(from, Math.min(at, lines.length - 1));
    const end = Math.min(lines.length, start + remove);
    const before = lines.slice(Math.max(from, start - 1), start);
    const after = lines.slice(end, end + 1);
    const nothing = remove === 0 && add.length === 0;
    if (start >= lines.length || nothing || before.length + (end - start) + after.length === 0) continue;
    result.push(...lines.slice(from, start), ...add, ...after);
    const marked = (sign: string, list: readonly string[]): string => list.map((text) => `${sign}${text}\n`).join("");
    diff += `@@\n${marked(" ", before)}${marked("-", lines.slice(start, end))}${marked("+", add)}${marked(" ", after)}`;
    from = end + after.length;
  }
  return { diff, result: [...result, ...lines.slice(from)] };
}

describe("a new file", () => {
  test("is made of added lines, and ends in one newline", () => {
    expect(createdText("+hello\n")).toBe("hello\n");
    expect(createdText("+a\n+\n+b\n+\n")).toBe("a\n\nb\n");
    expect(createdText("")).toBe("");
  });

  test("has no other lines", () => expect(() => createdText("+a\n b\n")).toThrow('Line 2 of a new file must begin with "+":  b'));
});
