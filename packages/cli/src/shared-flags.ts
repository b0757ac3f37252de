import type { Flags } from "./options.ts";

export const help = { help: { type: "boolean", short: "h", help: "show this help" } } as const satisfies Flags;

export const configuration = {
  config: { type: "string", value: "<file>", completes: "files", help: "an additional configuration file; overrides the others" },
  set: { type: "string", value: "<key=value>", multiple: true, help: "set any configuration key (repeatable)" },
} as const satisfies Flags;

export const json = (what: string) => ({ json: { type: "boolean", help: what } }) as const satisfies Flags;
