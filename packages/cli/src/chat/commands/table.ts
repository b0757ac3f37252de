import { suggestion } from "../../nearest.ts";
import { UsageError } from "../../options.ts";
import type { Conversation } from "../conversation.ts";
import { modelCommands } from "./model.ts";
import { sessionCommands } from "./session.ts";

/** What a command may use. */
export interface CommandContext {
  conversation: Conversation;
  /** Where files without a folder of their own go. */
  folder: string;
  /** Fires when somebody stops the command. */
  signal: AbortSignal;
}

/** What comes of a command: something to say, as Markdown, or something to do. */
export interface CommandResult {
  say?: string;
  next?: "quit" | "retry";
}

export interface ChatCommand {
  /** What stands behind its name: `<file>`, `[on|off] <name>`. */
  takes?: string;
  about: string;
  run(context: CommandContext, argument: string): CommandResult | Promise<CommandResult>;
  /** What its argument could be. */
  words?(conversation: Conversation): readonly string[];
}

const commands: Readonly<Record<string, ChatCommand>> = {
  ...modelCommands,
  ...sessionCommands,
  help: {
    about: "lists the commands and keys",
    run: () => ({ say: help() }),
  },
  quit: { about: "ends the chat", run: () => ({ next: "quit" }) },
};

/** Whether a message is a command: a slash and a word, and no path. */
export const isCommand = (message: string): boolean => /^\/[a-z]*(?:\s|$)/i.test(message);

/** Runs the command that a message is. */
export async function runCommand(message: string, context: CommandContext): Promise<CommandResult> {
  const [, name = "", argument = ""] = /^\/(\S*)\s*([\s\S]*)$/.exec(message.trim()) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new UsageError(`There is no command /${name}${suggestion(name, Object.keys(commands)) || "."} /help lists them.`);
  if (argument && !command.takes) throw new UsageError(`/${name} takes nothing behind it.`);
  return command.run(context, argument);
}

/** What the last word of a command that is being written could be. */
export function commandWords(written: string, conversation: Conversation): string[] {
  const name = /^\/(\S+)\s/.exec(written)?.[1];
  if (name === undefined) return Object.keys(commands).map((one) => `/${one}`);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return [...(command?.words?.(conversation) ?? [])];
}

const keys: readonly (readonly [key: string, does: string])[] = [
  ["Enter", "sends; Alt-Enter, Ctrl-J or a backslash before it begins another line"],
  ["Ctrl-C", "stops the answer, or clears the line; twice on an empty line quits"],
  ["Ctrl-D", "quits on an empty line"],
  ["Tab", "completes a command, or a file behind `@`"],
  ["Up, Down", "go through what was sent before; Ctrl-R looks for something in it"],
  ["Ctrl-A, Ctrl-E", "go to the beginning and the end of the line; Alt-B and Alt-F by words"],
  ["Ctrl-K, Ctrl-U, Ctrl-W", "cut to the end, to the beginning, and the last word; Ctrl-Y puts it back"],
];

/** How each command is written, and what it does. */
export const commandUsages = (): { usage: string; about: string }[] =>
  Object.entries(commands).map(([name, { takes, about }]) => ({ usage: `/${name}${takes ? ` ${takes}` : ""}`, about }));

function help(): string {
  const rows = commandUsages().map(({ usage, about }) => `- \`${usage}\` ${about}`);
  const lines = keys.map(([key, does]) => `- **${key}** ${does}`);
  return [...rows, "", "`@file` in a message sends the file with it.", "", ...lines].join("\n");
}
