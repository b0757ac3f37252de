import type { Command } from "./options.ts";
import { configuration, help, json } from "./shared-flags.ts";

const show = {
  usage: "[options]",
  summary: "print the configuration and where it comes from",
  about: "Prints every value that is set, and the file and line, variable or flag that it comes from. Keys are masked.",
  flags: { ...json("print JSON"), ...configuration, ...help },
} as const satisfies Command;

const init = {
  usage: "[options]",
  summary: "write a first configuration",
  about: "Asks a few questions and writes a file of settings. Without a terminal, flags answer them.",
  flags: {
    provider: { type: "string", value: "<name>", help: "who answers" },
    model: { type: "string", short: "m", value: "<model>", help: "the provider's model" },
    "key-variable": { type: "string", value: "<NAME>", help: "the variable that holds the key, if not the provider's own" },
    project: { type: "boolean", help: "write ./antiphon.toml instead of your own file" },
    force: { type: "boolean", help: "write over a file that is there" },
    ...help,
  },
} as const satisfies Command;

const path = {
  usage: "[options]",
  summary: "print where the files of settings are",
  about: "Prints the files that settings are read from, the one with the last word last, and whether they are there.",
  flags: { ...json("print JSON"), config: configuration.config, ...help },
} as const satisfies Command;

const trust = {
  usage: "[file | folder]",
  summary: "let a project's file name servers, addresses and keys",
  about: `Trusts ./antiphon.toml, or the file that is named, until it changes. Without trust, what could start programs or send keys elsewhere is
ignored in a project's file.`,
  completes: "files",
  flags: { ...help },
  notes: "Read the file first. Your own file, and one that --config or $ANTIPHON_CONFIG names, need no trust.",
} as const satisfies Command;

const untrust = {
  usage: "[file | folder]",
  summary: "take that back",
  about: "Trusts ./antiphon.toml, or the file that is named, no more.",
  completes: "files",
  flags: { ...help },
} as const satisfies Command;

/** The commands about settings. */
export const configCommands = {
  "config show": show,
  "config init": init,
  "config path": path,
  "config trust": trust,
  "config untrust": untrust,
} as const satisfies Readonly<Record<string, Command>>;
