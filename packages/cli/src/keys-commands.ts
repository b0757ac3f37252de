import type { Command, Flags } from "./options.ts";
import { configuration, help } from "./shared-flags.ts";

const shared = {
  store: { type: "string", value: "<where>", help: "the store: a file or postgres://… (default: the store of `antiphon serve`)" },
  ...configuration,
  ...help,
} as const satisfies Flags;

const create = {
  usage: "--name <name> [options]",
  summary: "create a gateway key for a client",
  about: "Creates a key and prints it once; only its hash is stored. Once a key exists, every request requires one.",
  flags: {
    name: { type: "string", short: "n", value: "<name>", help: "a name for the key (required)" },
    owner: { type: "string", value: "<owner>", help: "owner of the responses; keys of one owner share them (default: the key)" },
    models: { type: "string", value: "<a,b>", help: "allowed models; * matches any characters (default: all)" },
    rpm: { type: "string", value: "<n>", help: "maximum requests per minute" },
    tpm: { type: "string", value: "<n>", help: "maximum tokens per minute" },
    budget: { type: "string", value: "<dollars>", help: "maximum total spending" },
    expires: { type: "string", value: "<when>", help: "lifetime such as 12h, 30d or 8w, or the last day: 2031-12-31" },
    json: { type: "boolean", help: "print the key and its settings as one line of JSON" },
    ...shared,
  },
  notes: "Only the key is printed to standard output, so this works: KEY=$(antiphon keys create --name laptop)",
} as const satisfies Command;

const list = {
  usage: "[options]",
  summary: "list gateway keys",
  about: "Lists all keys, oldest first, with their limits and spending. The secrets are not shown.",
  flags: { json: { type: "boolean", help: "print one line of JSON per key" }, ...shared },
} as const satisfies Command;

const revoke = {
  usage: "[options] <id or prefix> …",
  summary: "revoke gateway keys",
  about: "Revokes keys permanently. Running gateways reject them within seconds.",
  flags: shared,
} as const satisfies Command;

/** The commands for gateway keys. */
export const keysCommands = {
  "keys create": create,
  "keys list": list,
  "keys revoke": revoke,
} as const satisfies Readonly<Record<string, Command>>;
