import type { Command } from "./options.ts";

/** The efforts that `--effort` takes. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** The names that `--tool` takes. */
export const toolNames = ["clock", "calculator"] as const;

/** `antiphon run`. Kept apart from what it does, so that help needs no library. */
export const runCommand = {
  usage: "antiphon run [options] [prompt]",
  about: "Answers one prompt. Without a prompt, or with `-`, it is read from standard input.",
  flags: {
    model: { type: "string", value: "<provider:model>", help: "who answers; else $ANTIPHON_MODEL, else offline" },
    instructions: { type: "string", value: "<text>", help: "how to answer" },
    effort: { type: "string", value: "<effort>", help: `how hard to think: ${efforts.join(", ")}` },
    schema: { type: "string", value: "<file>", help: "answer with JSON that fits the JSON Schema in this file" },
    tool: {
      type: "string",
      value: "<name>",
      multiple: true,
      help: `let the model use a tool: ${toolNames.join(", ")}; may be repeated`,
    },
    "max-steps": { type: "string", value: "<n>", help: "how many times the model is asked while it uses tools (8)" },
    timeout: { type: "string", value: "<seconds>", help: "give up after this long" },
    "base-url": { type: "string", value: "<url>", help: "where the provider is, if not at its usual place" },
    json: { type: "boolean", help: "print every event as a line of JSON" },
    help: { type: "boolean", help: "show this" },
  },
  notes: `The answer goes to standard output; thinking, tool calls and warnings go to standard error.
Exit codes: 0 ok, 1 general, 2 usage, 3 configuration, 4 API, 5 network.`,
} as const satisfies Command;

/** `antiphon models`. */
export const modelsCommand = {
  usage: "antiphon models [options]",
  about: "Lists the models of a provider.",
  flags: {
    model: { type: "string", value: "<provider>", help: "whose models; else that of $ANTIPHON_MODEL, else offline" },
    "base-url": { type: "string", value: "<url>", help: "where the provider is, if not at its usual place" },
    json: { type: "boolean", help: "print each model as a line of JSON" },
    help: { type: "boolean", help: "show this" },
  },
} as const satisfies Command;

/** What `antiphon` alone says. */
export const overview = `Usage: antiphon <command> [options]

Talks to language models.

Commands:
  run      answer one prompt
  models   list the models of a provider

Options:
  --help     show this, or the help of a command: antiphon run --help
  --version  show the version`;
