import type { Flags } from "./options.ts";

export const help = {
  help: { type: "boolean", short: "h", help: "show the help of a command", isCommon: true },
} as const satisfies Flags;

export const configuration = {
  config: {
    type: "string",
    value: "<file>",
    completes: "files",
    help: "an additional configuration file; overrides the others",
    isCommon: true,
  },
  set: { type: "string", value: "<key=value>", multiple: true, help: "set any configuration key (repeatable)", isCommon: true },
} as const satisfies Flags;

export const json = (what: string) => ({ json: { type: "boolean", help: what } }) as const satisfies Flags;
