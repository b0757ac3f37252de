import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bundleChat, type Program } from "./support/bundle.ts";
import { Pty, type PtyOptions } from "./support/pty.ts";

let program: Program;
const open: Pty[] = [];

beforeAll(async () => {
  program = await bundleChat();
});
afterAll(() => program.remove());
afterEach(async () => {
  for (const pty of open.splice(0)) {
    await pty.close();
    rmSync(pty.folder, { recursive: true, force: true });
  }
});

async function start(options?: PtyOptions): Promise<Pty> {
  const pty = new Pty(program.path, options);
  open.push(pty);
  await pty.until(/(^|\n)>$/);
  return pty;
}

/** Control sequences whose rest is like this. */
const sequences = (rest: string): RegExp => new RegExp(`\u001B\\[${rest}`, "g");

const greeting = "offline · session SESSION · /help\n";
const status = "offline · N in, N out · context 0 % · N s";

describe("a chat on the screen", () => {
  test("answers, with tools in a line each and thoughts folded", async () => {
    const pty = await start({ settings: { effort: "low" } });
    pty.type("What is the weather in Oslo and Rome?\r");
    expect(await pty.prompt(1)).toBe(`${greeting}
> What is the weather in Oslo and Rome?

thought for N s
✓ weather {"city":"Oslo"} → It is sunny in Oslo.
✓ weather {"city":"Rome"} → It is sunny in Rome.
thought for N s

The tools say:
• weather: It is sunny in Oslo.
• weather: It is sunny in Rome.

${status}

>`);
    expect(pty.cursor.column).toBe(2);
  });

  test("shows thoughts, progress and a spinner while they last", async () => {
    const pty = await start({ settings: { effort: "low" } });
    pty.type("[[slow:15]] What is 6 * 7?\r");
    await pty.until(/│ The user says.*\n\n\S N s · Ctrl-C to stop$/s);
    await pty.until("6 * 7 = 42");
    expect(await pty.prompt(1)).not.toContain("The user says");
    pty.type("[[call:slow_count]]\r");
    await pty.until(/\S slow_count \{\} → at \d+\n\n\S N s · Ctrl-C to stop$/);
    pty.type("\u0003");
    expect(await pty.prompt(2)).toContain("✗ slow_count {} → stopped\n");
  });

  test("draws Markdown as it comes", async () => {
    const pty = await start();
    pty.type(
      "[[slow:2]] [[say:# Plan\n\nDo **this**:\n\n1. one\n2. `two`\n\n```ts\nlet a = 1;\n```\n\n| a | b |\n|---|--:|\n| x | 12 |]]".replaceAll(
        "\n",
        "\u001B\r",
      ),
    );
    pty.type("\r");
    expect((await pty.prompt(1)).split("]]\n\n").at(-1)).toBe(`Plan

Do this:

1. one
2. two

ts
  let a = 1;

a │  b
──┼───
x │ 12

${status}

>`);
  });

  test("asks before a tool runs that needs it, and shows all of what it wants", async () => {
    const pty = await start();
    pty.type('[[call:remove_file {"path":"a\\u202Eb"}]]\r');
    await pty.until("y yes, n no, a always, s show arguments");
    pty.type("s");
    expect(await pty.until("  }\n")).toContain(`
  {
    "path": "a\\u{202e}b"
  }
? remove_file {"path":"a\\u202Eb"}
  Run it? y yes, n no, a always, s show arguments`);
    pty.type("n");
    expect(await pty.prompt(1)).toContain("\n✗ remove_file");
    pty.type('[[call:remove_file {"path":"b"}]]\r');
    await pty.until("s show arguments");
    pty.type("a");
    expect(await pty.prompt(2)).toContain('\n✓ remove_file {"path":"b"} → Removed b.');
    pty.type('[[call:remove_file {"path":"c"}]]\r');
    expect(await pty.prompt(3)).toContain('\n✓ remove_file {"path":"c"} → Removed c.');
  });

  test("does not take what is being typed for an agreement", async () => {
    const pty = await start();
    pty.type('[[slow:100]] [[call:remove_file {"path":"a"}]]\r');
    await pty.until("Ctrl-C to stop");
    pty.type("y");
    await pty.until("y yes, n no");
    pty.type("y");
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    pty.type("n");
    expect(await pty.until(/> yy$/)).toContain("✗ remove_file");
  });

  test("stops an answer by Ctrl-C, keeps what had come, and goes on", async () => {
    const pty = await start();
    pty.type("[[slow:20]] [[long:500]]\r");
    await pty.until("one voice sings");
    pty.type("\u0003");
    const screen = await pty.prompt(1);
    expect(screen).toMatch(/\n\none voice sings[\s\S]*\n\nStopped; partial answer saved\.\n\n/);
    pty.type("What is 6 * 7?\r");
    expect(await pty.prompt(2)).toContain("\n6 * 7 = 42\n");
    pty.type("\u0003");
    await pty.until("Ctrl-C again quits.");
    pty.type("\u0003");
    expect(await pty.exit).toBe(0);
    expect(pty.screen).toContain("antiphon chat --session SESSION");
    expect(pty.output.endsWith("\u001B[?2004l")).toBe(true);
  });

  test("says what went wrong, and goes on", async () => {
    const pty = await start();
    pty.type("[[error:rate_limit_exceeded]] Hello\r");
    expect(await pty.until(/asked for the error[\s\S]*\n\n>$/)).toContain(
      "The prompt asked for the error 'rate_limit_exceeded'.\n",
    );
    pty.type("What is 1 + 1?\r");
    expect(await pty.prompt(1)).toContain("1 + 1 = 2");
  });

  test("sends files that are named, and says which", async () => {
    const pty = await start();
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writeFileSync(join(pty.folder, "my photo.png"), Buffer.from(pixel, "base64"));
    writeFileSync(join(pty.folder, "notes.txt"), "Buy milk.");
    pty.type("Look at @my\t");
    await pty.until('> Look at @"my photo.png"');
    pty.type("and @no\tand @missing.txt\r");
    const screen = await pty.prompt(1);
    expect(screen).toContain(`+ my photo.png (image/png, 70 B)
+ notes.txt (text/plain, 9 B)
! No such file: missing.txt. The name was sent as text.
`);
    expect(screen).toContain("image");
  });

  test("resumes a conversation where it was left, also with a question that waits", async () => {
    const first = await start();
    first.type("My name is Ada.\r");
    await first.prompt(1);
    first.type('[[call:remove_file {"path":"x"}]]\r');
    await first.until("y yes, n no");
    first.type("\u0003");
    await first.prompt(2);
    first.type("\u0004");
    expect(await first.exit).toBe(0);

    const second = new Pty(program.path, { folder: first.folder, settings: { resume: true } });
    open.push(second);
    expect(await second.until("y yes, n no")).toBe(`${greeting.trimEnd()}
1 earlier turn

> [[call:remove_file {"path":"x"}]]

? remove_file {"path":"x"}
  Run it? y yes, n no, a always, s show arguments`);
    second.type("y");
    await second.prompt(1);
    second.type("What is my name?\r");
    expect(await second.prompt(2)).toContain("Your name is Ada.");
  });

  test("fits a narrow window", async () => {
    const pty = await start({ columns: 20, rows: 12 });
    pty.type("What is the weather in Oslo?\r");
    const screen = await pty.until(/context[\s\S]*\n\n>$/);
    expect(screen.slice(screen.indexOf("> What"), screen.lastIndexOf("offline"))).toBe(`> What is the weath
  er in Oslo?

✓ weather → It is s…

The weather tool
says: It is sunny in
Oslo.

`);
    expect(Math.max(...pty.text.split("\n").map((line) => line.length))).toBe(20);
  });

  test("has no colour where none is wanted", async () => {
    const pty = await start({ env: { NO_COLOR: "1" } });
    pty.type("[[say:# Title **bold** `code`]]\r");
    expect(await pty.prompt(1)).toContain("\n# Title **bold** `code`\n");
    expect(pty.output).not.toMatch(sequences("[\\d;]*m"));
    const coloured = await start();
    coloured.type("[[say:**bold**]]\r");
    await coloured.prompt(1);
    expect(coloured.output).toContain("\u001B[1mbold\u001B[0m");
  });

  test("is redrawn when the window changes its size", async () => {
    const pty = await start({ columns: 60 });
    pty.type("[[long:20]]\r");
    const before = await pty.prompt(1);
    pty.type("a message that is about as long as a line of this");
    await pty.until(/of this$/);
    pty.resize(30, 20);
    await pty.until(/> a message that is about as\s+long as a line of this$/);
    pty.resize(60, 20);
    const after = await pty.until(/\n> a message that is about as long as a line of this$/);
    // Terminals do not agree whether the line of the cursor is broken anew, so the empty line above it may go.
    const words = (screen: string): string => screen.replaceAll(/\s+/g, " ");
    expect(words(after)).toBe(words(`${before} a message that is about as long as a line of this`));
  });

  test("writes all of what is higher than the window, once", async () => {
    const pty = await start({ rows: 8 });
    const table = ["| n | square |", "|---|---|", ...Array.from({ length: 20 }, (_, n) => `| ${n} | ${n * n} |`)].join("\n");
    pty.type(`\u001B[200~[[slow:3]] [[say:${table}]]\u001B[201~\r`);
    const screen = await pty.prompt(1);
    const drawn = screen.split("\n").filter((line) => /^\d+ +│/.test(line));
    expect(drawn).toEqual(Array.from({ length: 20 }, (_, n) => `${String(n).padEnd(2)} │ ${n * n}`));
  });

  test("keeps what is typed while it answers for the next prompt", async () => {
    const pty = await start();
    pty.type("[[slow:30]] [[say:one two three four five]]\r");
    await pty.until("one two");
    pty.type("What is 1 + 1?\rand then");
    expect(await pty.until(/> and then$/)).toContain("one two three four five\n");
    expect(pty.screen).toContain("\n1 + 1 = 2\n");
  });

  test("remembers what was typed from one chat to the next", async () => {
    const first = await start();
    first.type("What is 2 + 2?\r");
    await first.prompt(1);
    first.type("/stats\r");
    await first.until(/context .*\n\n>$/);
    first.type("\u0004");
    await first.exit;
    const second = await start({ folder: first.folder });
    second.type("\u001B[A\u001B[A");
    await second.until(/> What is 2 \+ 2\?$/);
    second.type("\u0003\u0012sta");
    expect(await second.until(/search: sta$/)).toMatch(/\n> \/stats\nsearch: sta$/);
  });

  test("completes commands and what they take", async () => {
    const pty = await start();
    pty.type("/ef\t");
    await pty.until(/> \/effort$/);
    pty.type("\t");
    await pty.until(/> \/effort ?\nnone +minimal/);
    pty.type("\t\t\r");
    expect(await pty.until(/Effort: minimal\n\n>$/)).toContain("Effort: minimal");
  });

  test("lists its commands and keys", async () => {
    const pty = await start({ columns: 100, rows: 50 });
    pty.type("/help\r");
    const screen = await pty.until(/Ctrl-Y pastes\n\n>$/);
    for (const name of [
      "model",
      "effort",
      "verbosity",
      "tools",
      "fork",
      "undo",
      "retry",
      "compact",
      "save",
      "stats",
      "help",
      "quit",
    ])
      expect(screen).toContain(`• /${name}`);
  });

  test("uses no other sequences than moves, erased lines, colours and bracketed paste", async () => {
    const pty = await start({ settings: { effort: "low" } });
    pty.type("/model op\t\t\u0015What is the weather in Oslo?\r");
    await pty.prompt(1);
    pty.type("\u0004");
    await pty.exit;
    const others = pty.output.replaceAll(sequences("(?:\\d*[AC]|K|[\\d;]*m|\\?2004[hl])"), "");
    expect(others).not.toContain("\u001B");
  });

  test("lets neither a model nor a tool give the terminal orders", async () => {
    const pty = await start();
    pty.type("[[call:nasty]]\r");
    expect(await pty.prompt(1)).toContain("✓ nasty {} → [31mred]52;c;aGk=[2J\n");
    writeFileSync(join(pty.folder, "evil\u001B[2J.txt"), "x");
    pty.type("\u001B[200~[[say:a\u001B]52;c;aGk=\u0007b\u009B2Jc\u001B[?1049h]]\u001B[201~\r");
    await pty.prompt(2);
    for (const order of ["\u001B]", "\u001B[2J", "\u0007", "\u009B", "\u001B[?1049h"]) expect(pty.output).not.toContain(order);
  });
});
