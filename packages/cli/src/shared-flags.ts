import type { Flags } from "./options.ts";

export const help = { help: { type: "boolean", short: "h", help: "show this" } } as const satisfies Flags;

export const configuration = {
  config: { type: "string", value: "<file>", completes: "files", help: "read this file of settings too, after the others" },
  set: { type: "string", value: "<key=value>", multiple: true, help: "set any key of the configuration; may be repeated" },
} as const satisfies Flags;

export const json = (what: string) => ({ json: { type: "boolean", help: what } }) as const satisfies Flags;
