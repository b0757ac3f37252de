import { commands } from "./commands.ts";
import { columns } from "./options.ts";

/** The commands whose names begin with a word, by their whole names. */
export const commandsBelow = (word: string): string[] => Object.keys(commands).filter((name) => name.startsWith(`${word} `));

const list = (names: readonly string[]): string[] =>
  columns(
    Object.entries(commands)
      .filter(([name]) => names.includes(name))
      .map(([name, { summary }]) => [`  ${name}`, summary] as const),
  );

/** What `antiphon --help` says. */
export const overview = (): string =>
  [
    "Usage: antiphon [command] [options]",
    "",
    "Talks to language models. Without a command, in a terminal, it opens a chat.",
    "",
    "Commands:",
    ...list(Object.keys(commands)),
    "",
    "Options:",
    ...columns([
      ["  -h, --help", "show this, or the help of a command: antiphon run --help"],
      ["  --version", "show the version"],
    ]),
  ].join("\n");

/** What a word says that several commands begin with. */
export const groupHelp = (word: string): string =>
  [`Usage: antiphon ${word} <command> [options]`, "", "Commands:", ...list(commandsBelow(word))].join("\n");
