import { spawn, type IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How a terminal is opened. */
export interface PtyOptions {
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  /** What the chat is opened with, beside the offline model. */
  settings?: object;
  /** The words behind the program's name, where it is the command line itself. */
  args?: string[];
  folder?: string;
}

/** A chat in a real terminal, of which the screen can be read. */
export class Pty {
  readonly folder: string;
  /** Resolves when the program has ended and the screen shows all that it wrote. */
  readonly exit: Promise<number>;
  /** All that the program wrote. */
  output = "";
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;

  constructor(program: string, { columns = 60, rows = 20, env = {}, settings = {}, args, folder }: PtyOptions = {}) {
    this.folder = folder ?? mkdtempSync(join(tmpdir(), "antiphon-chat-"));
    const kept = { sessions: join(this.folder, "sessions"), history: join(this.folder, "history") };
    const words = args ?? [JSON.stringify({ ...kept, ...settings })];
    this.#screen = new xterm.Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
    this.#pty = spawn(process.execPath, [program, ...words], {
      cols: columns,
      rows,
      cwd: this.folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: this.folder, LANG: "C.UTF-8", TERM: "xterm-256color", ...env },
    });
    this.#pty.onData((data) => {
      this.output += data;
      this.#screen.write(data);
    });
    // The screen reads what it is given later, and calls back in the same order.
    this.exit = new Promise((resolve) => this.#pty.onExit(({ exitCode }) => this.#screen.write("", () => resolve(exitCode))));
  }

  /** What is to be seen, scrolled-off lines included, without what changes from run to run. */
  get screen(): string {
    return this.text
      .replaceAll(/\d{4}-\d\d-\d\d-\d{6}-[0-9a-f]{4}/g, "SESSION")
      .replaceAll(/\d+(?:\.\d+)? s\b/g, "N s")
      .replaceAll(/\d[\d.]*k? in, \d[\d.]*k? out/g, "N in, N out");
  }

  get text(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  /** Where the cursor is, counted from the first line of all. */
  get cursor(): { row: number; column: number } {
    const { active } = this.#screen.buffer;
    return { row: active.baseY + active.cursorY, column: active.cursorX };
  }

  type(keys: string): void {
    this.#pty.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Waits until the screen is as wanted, and says what it was where it never is. */
  async until(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    const isThere = (): boolean => {
      if (typeof wanted === "function") return wanted(this.screen);
      return typeof wanted === "string" ? this.screen.includes(wanted) : wanted.test(this.screen);
    };
    for (const end = Date.now() + 15_000; Date.now() < end;) {
      if (isThere()) return this.screen;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`The screen never showed ${String(wanted)}; it shows:\n${this.screen}`);
  }

  /** Waits for an empty prompt below so many answers. */
  prompt(answers: number): Promise<string> {
    return this.until((screen) => screen.split(" in, N out").length - 1 === answers && screen.endsWith("\n>"));
  }

  /** Hangs up, and waits until the program is gone. */
  async close(): Promise<void> {
    this.#pty.kill();
    await this.exit;
  }
}
