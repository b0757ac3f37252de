import type { Command, Flags } from "./options.ts";
import { configuration, help } from "./shared-flags.ts";

const shared = {
  store: { type: "string", value: "<where>", help: "the gateway's store: a file or postgres://…; else that of `antiphon serve`" },
  ...configuration,
  ...help,
} as const satisfies Flags;

const create = {
  usage: "--name <name> [options]",
  summary: "make a key for a client of the gateway",
  about: "Makes a key and prints it: this once, since only a hash of it is kept. From the first key on, the gateway wants one.",
  flags: {
    name: { type: "string", short: "n", value: "<name>", help: "who or what it is for" },
    owner: { type: "string", value: "<owner>", help: "whose responses it makes and sees (nobody else's)" },
    models: { type: "string", value: "<a,b>", help: "models that it may use, * for any characters (all)" },
    rpm: { type: "string", value: "<n>", help: "requests a minute" },
    tpm: { type: "string", value: "<n>", help: "tokens a minute" },
    budget: { type: "string", value: "<dollars>", help: "what may be spent with it, ever" },
    expires: { type: "string", value: "<when>", help: "how long it is good, as 12h, 30d or 8w, or until which day: 2031-12-31" },
    json: { type: "boolean", help: "print the key and what it is good for as a line of JSON" },
    ...shared,
  },
  notes: "The key goes to standard output, everything else to standard error: KEY=$(antiphon keys create --name laptop)",
} as const satisfies Command;

const list = {
  usage: "[options]",
  summary: "list the keys of the gateway",
  about: "Lists all keys, the oldest first: what they are good for, and what was spent with them.",
  flags: { json: { type: "boolean", help: "print each as a line of JSON" }, ...shared },
} as const satisfies Command;

const revoke = {
  usage: "[options] <id> …",
  summary: "revoke keys of the gateway",
  about: "Revokes keys for good. Gateways that run take notice within seconds.",
  flags: shared,
} as const satisfies Command;

/** What is said about the commands for keys. */
export const keysCommands = {
  "keys create": create,
  "keys list": list,
  "keys revoke": revoke,
} as const satisfies Readonly<Record<string, Command>>;
