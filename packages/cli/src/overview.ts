import { commands } from "./commands.ts";
import { columns, flagRow } from "./options.ts";
import { configuration, help } from "./shared-flags.ts";

/** The full names of the commands in a group. */
export const commandsBelow = (word: string): string[] => Object.keys(commands).filter((name) => name.startsWith(`${word} `));

const list = (names: readonly string[]): string[] =>
  columns(
    Object.entries(commands)
      .filter(([name]) => names.includes(name))
      .map(([name, { summary }]) => [`  ${name}`, summary] as const),
  );

/** The output of `antiphon --help`. */
export const overview = (): string =>
  [
    "Usage: antiphon [command] [options]",
    '       antiphon "prompt"',
    "",
    "Chats with language models and starts the Antiphon gateway. Without arguments, it opens a chat in the terminal.",
    "",
    "Commands:",
    ...list(Object.keys(commands)),
    "",
    "Common options:",
    ...columns([...Object.entries({ ...configuration, ...help }).map(flagRow), ["  -V, --version", "show the version"]]),
  ].join("\n");

/** The help of a group of commands, such as `antiphon keys`. */
export const groupHelp = (word: string): string =>
  [`Usage: antiphon ${word} <command> [options]`, "", "Commands:", ...list(commandsBelow(word))].join("\n");
