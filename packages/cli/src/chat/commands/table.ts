import { suggestion } from "../../nearest.ts";
import { UsageError } from "../../options.ts";
import type { Conversation } from "../conversation.ts";
import { modelCommands } from "./model.ts";
import { sessionCommands } from "./session.ts";

/** The context of a command. */
export interface CommandContext {
  conversation: Conversation;
  /** The folder for relative paths. */
  folder: string;
  /** Fires when the user stops the command. */
  signal: AbortSignal;
}

/** The result of a command: Markdown to show, or the next action. */
export interface CommandResult {
  say?: string;
  next?: "quit" | "retry";
}

export interface ChatCommand {
  /** Its argument: `<file>`, `[on|off] <name>`. */
  takes?: string;
  about: string;
  run(context: CommandContext, argument: string): CommandResult | Promise<CommandResult>;
  /** Values for completion. */
  words?(conversation: Conversation): readonly string[];
}

const commands: Readonly<Record<string, ChatCommand>> = {
  ...modelCommands,
  ...sessionCommands,
  help: {
    about: "shows the commands and keys",
    run: () => ({ say: help() }),
  },
  quit: { about: "ends the chat", run: () => ({ next: "quit" }) },
};

/** Commands of other chat programs, with the way to do the same here. */
const hints: Readonly<Record<string, string>> = {
  new: "To start a new conversation, /quit and run antiphon again.",
  clear: "To start a new conversation, /quit and run antiphon again.",
  resume: "To continue another conversation, /quit and run antiphon chat --session <id>.",
};

function suggested(name: string): string {
  if (Object.hasOwn(hints, name)) return `. ${hints[name]}`;
  return suggestion(name, Object.keys(commands), (one) => `/${one}`) || ".";
}

/** Whether a message is a command: a slash and a word, not a path. */
export const isCommand = (message: string): boolean => /^\/[a-z]*(?:\s|$)/i.test(message);

/** Runs a message that is a command. */
export async function runCommand(message: string, context: CommandContext): Promise<CommandResult> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(message.trim()) ?? [];
  const known = name === "exit" ? "quit" : name;
  const command = Object.hasOwn(commands, known) ? commands[known] : undefined;
  if (!command) throw new UsageError(`Unknown command /${name}${suggested(name)} /help lists all commands.`);
  if (argument && !command.takes) throw new UsageError(`/${name} takes no argument.`);
  return command.run(context, argument);
}

/** Completions for the last word of a command. */
export function commandWords(written: string, conversation: Conversation): string[] {
  const name = /^\/(\S+)\s/.exec(written)?.[1];
  if (name === undefined) return Object.keys(commands).map((one) => `/${one}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return [...(command?.words?.(conversation) ?? [])];
}

const keys: readonly (readonly [key: string, does: string])[] = [
  ["Enter", "sends; Alt-Enter, Ctrl-J or backslash-Enter starts a new line"],
  ["Ctrl-C", "stops the answer, or clears the line; twice on an empty line quits"],
  ["Ctrl-D", "quits on an empty line"],
  ["Tab", "completes a command or a file name after `@`"],
  ["Up, Down", "browse earlier messages; Ctrl-R searches them"],
  ["Ctrl-A, Ctrl-E", "move to the start or end of the line; Alt-B and Alt-F move by word"],
  ["Ctrl-K, Ctrl-U, Ctrl-W", "cut to the end, to the start, or the last word; Ctrl-Y pastes"],
];

/** The usage and description of each command. */
export const commandUsages = (): { usage: string; about: string }[] =>
  Object.entries(commands).map(([name, { takes, about }]) => ({ usage: `/${name}${takes ? ` ${takes}` : ""}`, about }));

function help(): string {
  const rows = commandUsages().map(({ usage, about }) => `- \`${usage}\` ${about}`);
  const lines = keys.map(([key, does]) => `- **${key}** ${does}`);
  return [...rows, "", "`@file` in a message attaches the file.", "", ...lines].join("\n");
}
