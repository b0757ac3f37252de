import type { AgentInput, PendingCall } from "antiphon";
import { answer, type Audience } from "./answer.ts";
import { readMessage } from "./attachments.ts";
import { isCommand, runCommand } from "./commands/table.ts";
import { completionOf } from "./completion.ts";
import type { Conversation } from "./conversation.ts";
import { remembered } from "./editor/history.ts";
import { writtenLines } from "./editor/view.ts";
import { answerFailure, failureText } from "./failure.ts";
import { addToHistory, loadHistory } from "./history-file.ts";
import { abilitiesOf } from "./look.ts";
import { renderMarkdown } from "./markdown/render.ts";
import { recapOf } from "./recap.ts";
import type { ChatIo, ChatSettings } from "./settings.ts";
import { ApprovalStage, type Answer } from "./stages/approval.ts";
import { BusyStage } from "./stages/busy.ts";
import { PromptStage } from "./stages/prompt.ts";
import { endingOf, fileLines, statusOf } from "./status.ts";
import { Terminal } from "./terminal.ts";
import { dim, lineOf, type Line, type Style } from "./text/line.ts";
import { oneLine, safeText } from "./text/safe-text.ts";
import { wrap } from "./text/wrap.ts";
import { TurnView } from "./turn/turn-view.ts";

const failed: Style = { colour: "red" };
const noted: Style = { colour: "yellow" };
const nothing = { lines: (): { settled: Line[]; live: Line[] } => ({ settled: [], live: [] }) };

/** A chat in a terminal. */
export class InteractiveChat {
  readonly #settings: ChatSettings;
  readonly #conversation: Conversation;
  readonly #terminal: Terminal;
  readonly #folder = process.cwd();
  /** Fires when the terminal is closed. */
  readonly #over: AbortSignal;
  #history: readonly string[];

  constructor(io: ChatIo, settings: ChatSettings, conversation: Conversation) {
    this.#settings = settings;
    this.#conversation = conversation;
    this.#terminal = new Terminal(io, abilitiesOf(settings, io));
    this.#history = loadHistory(settings.history);
    const gone = new AbortController();
    for (const event of ["end", "error"]) io.input.on(event, () => gone.abort());
    this.#over = AbortSignal.any([io.signal, gone.signal]);
  }

  /** Runs until the user quits. */
  async run(): Promise<void> {
    this.#terminal.open();
    try {
      this.#greet();
      if (this.#conversation.chat.pending.length > 0) await this.#goOn();
      let isOpen = this.#settings.first === undefined || (await this.#take(this.#settings.first, true));
      while (isOpen) isOpen = await this.#turn();
      this.#farewell();
    } finally {
      this.#terminal.close();
    }
  }

  #greet(): void {
    const { chat, modelName } = this.#conversation;
    const dot = ` ${this.#terminal.look.glyphs.dot} `;
    this.#say([modelName, `session ${chat.id}`, "/help"].join(dot), dim);
    if (this.#settings.reason) this.#say(this.#settings.reason, dim);
    const { question: asked, answer: answered, earlier } = recapOf(this.#conversation);
    if (earlier > 0) this.#say(`${earlier} earlier turn${earlier === 1 ? "" : "s"}`, dim);
    if (asked !== undefined) this.#print([[], ...writtenLines(safeText(asked), this.#terminal.columns)]);
    if (answered !== undefined) this.#print([[], ...this.#markdown(answered)]);
    this.#print([[]]);
  }

  #farewell(): void {
    const { chat, isKept } = this.#conversation;
    if (isKept && chat.items.length > 0) this.#say(`Resume with: antiphon chat --session ${chat.id}`, dim);
  }

  /** Decides about the calls that were pending when the conversation was closed. */
  async #goOn(): Promise<void> {
    await this.#answer([]);
    this.#print([[]]);
  }

  /** Reads and handles one message. Returns whether the chat continues. */
  async #turn(): Promise<boolean> {
    const message = await this.#prompt();
    return message !== undefined && this.#take(message);
  }

  /** Runs a command or sends a message. Returns whether the chat continues. */
  async #take(message: string, isToShow = false): Promise<boolean> {
    if (isToShow) this.#print(writtenLines(safeText(message), this.#terminal.columns));
    this.#history = remembered(this.#history, message);
    addToHistory(this.#settings.history, message);
    this.#print([[]]);
    const goesOn = isCommand(message) ? await this.#command(message) : await this.#message(message);
    this.#print([[]]);
    return goesOn && !this.#over.aborted;
  }

  async #prompt(): Promise<string | undefined> {
    const prompt = new PromptStage({
      history: this.#history,
      complete: (text, cursor) => completionOf(text, cursor, this.#conversation, this.#folder),
      suspend: () => void this.#terminal.suspend(),
    });
    for (const key of this.#terminal.takeAhead()) if (!prompt.key(key)) this.#terminal.keepAhead(key);
    this.#terminal.show(prompt);
    const message = await this.#unlessOver(prompt.message, () => prompt.leave());
    this.#terminal.show(undefined, message === undefined ? [] : prompt.lines(this.#terminal.columns));
    return message;
  }

  async #message(text: string): Promise<boolean> {
    const { input, attached, problems } = await readMessage(text, this.#folder);
    for (const line of attached) this.#say(`+ ${safeText(line)}`, dim);
    for (const line of problems) this.#say(`! ${safeText(line)}`, noted);
    if (attached.length + problems.length > 0) this.#print([[]]);
    await this.#answer(input);
    return true;
  }

  async #command(message: string): Promise<boolean> {
    const stop = new AbortController();
    this.#terminal.show(new BusyStage(nothing, stop));
    try {
      const context = { conversation: this.#conversation, folder: this.#folder, signal: this.#either(stop) };
      const { say, next } = await runCommand(message, context);
      this.#terminal.show(undefined);
      if (say !== undefined) this.#print(this.#markdown(say));
      if (next === "retry") await this.#answer([]);
      return next !== "quit";
    } catch (error) {
      this.#fail(error);
      return true;
    } finally {
      this.#terminal.show(undefined);
    }
  }

  async #answer(input: AgentInput): Promise<void> {
    try {
      const answered = await answer(this.#conversation, input, this.#audience());
      const { reply } = answered;
      this.#conversation.files = reply.files;
      for (const line of await fileLines(reply)) this.#say(`+ ${line}`, dim);
      const ending = endingOf(reply);
      if (ending) this.#print([[]]);
      if (ending) this.#say(ending, noted);
      const { dot } = this.#terminal.look.glyphs;
      this.#print([[]]);
      this.#say(statusOf(this.#conversation, answered, dot), dim);
    } catch (error) {
      this.#fail(error, answerFailure);
    }
  }

  #audience(): Audience {
    const terminal = this.#terminal;
    const stop = new AbortController();
    const signal = this.#either(stop);
    let view = new TurnView(() => performance.now());
    return {
      begin: () => {
        view = new TurnView(() => performance.now());
        terminal.show(new BusyStage(view, stop));
        return { listener: view, signal };
      },
      told: () => terminal.refresh(),
      end: () => {
        view.end();
        terminal.show(undefined, view.lines(terminal.look).settled);
      },
      approve: (call) => this.#approve(call),
    };
  }

  async #approve(call: PendingCall): Promise<Answer> {
    const stage = new ApprovalStage(call, this.#terminal.isTypingAhead);
    this.#terminal.show(stage);
    const said = await this.#unlessOver(stage.answer, () => stage.leave());
    // The line of the call shows the decision.
    this.#terminal.show(undefined);
    if (said === "always") this.#say(`! ${oneLine(call.name)} runs without approval until the chat ends.`, noted);
    return said;
  }

  /** Fires on Ctrl-C and when the chat is closed. */
  #either(stop: AbortController): AbortSignal {
    return AbortSignal.any([stop.signal, this.#over]);
  }

  /** Waits for the user, or until the terminal is closed. */
  async #unlessOver<T>(said: Promise<T>, leave: () => void): Promise<T> {
    if (this.#over.aborted) leave();
    this.#over.addEventListener("abort", leave);
    try {
      return await said;
    } finally {
      this.#over.removeEventListener("abort", leave);
    }
  }

  #fail(error: unknown, describe = failureText): void {
    this.#terminal.show(undefined);
    this.#say(safeText(describe(error)), failed);
  }

  #markdown(text: string): Line[] {
    return renderMarkdown(safeText(text), this.#terminal.look);
  }

  #say(text: string, style: Style): void {
    this.#print(wrap(lineOf(text, style), this.#terminal.columns));
  }

  #print(lines: readonly Line[]): void {
    this.#terminal.print(lines);
  }
}
