import { createInterface } from "node:readline";
import type { AgentInput, PendingCall } from "antiphon";
import { exitCodes } from "../exit-codes.ts";
import { exitCodeOf } from "../failures.ts";
import { answer, type Audience } from "./answer.ts";
import { readMessage } from "./attachments.ts";
import { isCommand, runCommand } from "./commands/table.ts";
import type { Conversation } from "./conversation.ts";
import { answerFailure, failureText } from "./failure.ts";
import type { ChatIo, ChatSettings } from "./settings.ts";
import type { Answer } from "./stages/approval.ts";
import { endingOf, fileLines, statusOf } from "./status.ts";
import { evident, oneLine, safeText } from "./text/safe-text.ts";
import { LineListener } from "./turn/line-listener.ts";

const answers: Readonly<Record<string, Answer>> = { y: "yes", yes: "yes", n: "no", no: "no", a: "always", always: "always" };

/** A chat for pipes and simple terminals: one message per line. Answers go to stdout unchanged, everything else to stderr. */
export class LineChat {
  readonly #io: ChatIo;
  readonly #settings: ChatSettings;
  readonly #conversation: Conversation;
  readonly #lines: AsyncIterator<string>;
  readonly #close: () => void;
  readonly #folder = process.cwd();
  #code: number = exitCodes.ok;

  constructor(io: ChatIo, settings: ChatSettings, conversation: Conversation) {
    this.#io = io;
    this.#settings = settings;
    this.#conversation = conversation;
    const reader = createInterface({ input: io.input, terminal: false, crlfDelay: Infinity });
    this.#lines = reader[Symbol.asyncIterator]();
    this.#close = () => reader.close();
  }

  /** Runs until the end of the input. Returns the exit code of the last answer. */
  async run(): Promise<number> {
    this.#io.signal.addEventListener("abort", this.#close, { once: true });
    try {
      this.#say(`${this.#conversation.modelName}, session ${this.#conversation.chat.id}`);
      if (this.#settings.reason) this.#say(this.#settings.reason);
      if (this.#conversation.chat.pending.length > 0) await this.#answer([]);
      if (this.#settings.first !== undefined && !(await this.#take(this.#settings.first))) return this.#code;
      for (let message = await this.#next("> "); message !== undefined; message = await this.#next("> "))
        if (message.trim() !== "" && !(await this.#take(message))) break;
    } finally {
      this.#close();
    }
    return this.#code;
  }

  /** Reads the next message. A backslash at the end of a line continues it on the next line. */
  async #next(prompt: string): Promise<string | undefined> {
    if (this.#io.signal.aborted) return undefined;
    if (this.#io.input.isTTY) this.#io.errors.write(prompt);
    const { done, value } = await this.#lines.next();
    if (done) return undefined;
    if (!value.endsWith("\\")) return value;
    const more = await this.#next("  ");
    return more === undefined ? value.slice(0, -1) : `${value.slice(0, -1)}\n${more}`;
  }

  /** Runs a command or sends a message. Returns whether the chat continues. */
  async #take(message: string): Promise<boolean> {
    if (!isCommand(message)) {
      const { input, attached, problems } = await readMessage(message, this.#folder);
      for (const line of attached) this.#say(`+ ${safeText(line)}`);
      for (const line of problems) this.#say(`! ${safeText(line)}`);
      await this.#answer(input);
      return true;
    }
    try {
      const context = { conversation: this.#conversation, folder: this.#folder, signal: this.#io.signal };
      const { say, next } = await runCommand(message, context);
      if (say !== undefined) this.#say(safeText(say));
      if (next === "retry") await this.#answer([]);
      return next !== "quit";
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  async #answer(input: AgentInput): Promise<void> {
    const stop = new AbortController();
    const unsubscribe = this.#io.onInterrupt(() => stop.abort());
    try {
      const answered = await answer(this.#conversation, input, this.#audience(stop));
      const { reply } = answered;
      this.#conversation.files = reply.files;
      for (const line of await fileLines(reply)) this.#say(`+ ${line}`);
      const ending = endingOf(reply);
      if (ending) this.#say(ending);
      this.#say(statusOf(this.#conversation, answered, "|"));
      this.#code = exitCodes.ok;
    } catch (error) {
      this.#fail(error, answerFailure);
    } finally {
      unsubscribe();
    }
  }

  #audience(stop: AbortController): Audience {
    const listener = new LineListener(this.#io);
    return {
      begin: () => ({ listener, signal: AbortSignal.any([stop.signal, this.#io.signal]) }),
      told: () => {},
      end: () => listener.end(),
      approve: (call) => this.#approve(call),
    };
  }

  async #approve({ name, written }: PendingCall): Promise<Answer> {
    const text = typeof written === "string" ? written : JSON.stringify(written);
    this.#say(`? ${oneLine(evident(name))} ${evident(text)}`);
    for (;;) {
      this.#io.errors.write("  yes, no or always? ");
      const { done, value } = await this.#lines.next();
      // Nobody can approve the call.
      if (done) return "no";
      const said = answers[value.trim().toLowerCase()];
      if (said) return said;
    }
  }

  #fail(error: unknown, describe = failureText): void {
    this.#code = exitCodeOf(error);
    this.#say(safeText(describe(error)));
  }

  #say(text: string): void {
    this.#io.errors.write(`${text}\n`);
  }
}
