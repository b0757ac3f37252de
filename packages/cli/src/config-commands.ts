import type { Command } from "./options.ts";
import { configuration, help, json } from "./shared-flags.ts";

const show = {
  usage: "[options]",
  summary: "print the configuration and its sources",
  about: "Prints every configured value and its source: file and line, environment variable or option. Keys are masked.",
  flags: { ...json("print JSON"), ...configuration, ...help },
} as const satisfies Command;

const init = {
  usage: "[options]",
  summary: "create a configuration file",
  about: "Asks a few questions and writes a configuration file. Without a terminal, it uses the options instead of asking.",
  flags: {
    provider: { type: "string", value: "<name>", help: "the provider" },
    model: { type: "string", short: "m", value: "<model>", help: "the model" },
    "key-variable": { type: "string", value: "<NAME>", help: "the environment variable with the key, if not the default one" },
    project: { type: "boolean", help: "write ./antiphon.toml instead of your user configuration" },
    force: { type: "boolean", help: "overwrite an existing file" },
    ...help,
  },
} as const satisfies Command;

const path = {
  usage: "[options]",
  summary: "print the paths of the configuration files",
  about: "Prints the paths of all configuration files, lowest priority first, and which of them exist.",
  flags: { ...json("print JSON"), config: configuration.config, ...help },
} as const satisfies Command;

const trust = {
  usage: "[file | folder]",
  summary: "trust a project's configuration file",
  about: `Trusts ./antiphon.toml, or the given file, until it changes. In an untrusted project file, Antiphon ignores settings
that could start programs or send keys to other servers.`,
  completes: "files",
  flags: { ...help },
  notes: "Read the file first. Your user configuration and files named by --config or $ANTIPHON_CONFIG are always trusted.",
} as const satisfies Command;

const untrust = {
  usage: "[file | folder]",
  summary: "stop trusting a project's configuration file",
  about: "Stops trusting ./antiphon.toml, or the given file.",
  completes: "files",
  flags: { ...help },
} as const satisfies Command;

/** The commands for the configuration. */
export const configCommands = {
  "config show": show,
  "config init": init,
  "config path": path,
  "config trust": trust,
  "config untrust": untrust,
} as const satisfies Readonly<Record<string, Command>>;
