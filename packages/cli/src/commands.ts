import { configCommands } from "./config-commands.ts";
import { keysCommands } from "./keys-commands.ts";
import type { Command, Flags } from "./options.ts";
import { configuration, help, json } from "./shared-flags.ts";
import { shells } from "./shells.ts";

/** The names of the built-in tools. */
export const toolNames = ["clock", "calculator"] as const;

const provider = {
  model: {
    type: "string",
    short: "m",
    value: "<provider:model>",
    sets: "model",
    help: "the model to use (default: configured model, a provider with a key, or offline)",
  },
  provider: { type: "string", value: "<name>", sets: "provider", help: "the provider to use, if --model has none" },
  "base-url": { type: "string", value: "<url>", help: "the base URL of the provider's API" },
} as const satisfies Flags;

const answering = {
  ...provider,
  instructions: { type: "string", value: "<text>", sets: "instructions", help: "instructions for the model (system prompt)" },
  effort: {
    type: "string",
    value: "<effort>",
    sets: "effort",
    completes: ["none", "minimal", "low", "medium", "high", "xhigh"],
    help: "reasoning effort: none, minimal, low, medium, high, xhigh",
  },
  verbosity: {
    type: "string",
    value: "<length>",
    sets: "verbosity",
    completes: ["low", "medium", "high"],
    help: "length of the answer: low, medium, high",
  },
  "max-tokens": { type: "string", value: "<n>", sets: "max_tokens", help: "maximum number of tokens in the answer" },
  "max-steps": {
    type: "string",
    value: "<n>",
    sets: "max_steps",
    help: "maximum number of model calls per prompt (default: 20)",
  },
  tool: {
    type: "string",
    value: "<name>",
    multiple: true,
    completes: toolNames,
    help: `a tool: ${toolNames.join(", ")} or a configured MCP server (repeatable)`,
  },
  mcp: {
    type: "string",
    value: "<server>",
    multiple: true,
    help: "an MCP server: a configured name, a URL or a command (repeatable)",
  },
} as const satisfies Flags;

const run = {
  usage: "[options] [prompt | @file | -] …",
  summary: "send one prompt and print the answer",
  about: `Sends one prompt to the model and prints the answer. @file attaches a file. Piped input follows the prompt, or is the
prompt; - reads standard input.`,
  completes: "files",
  flags: {
    ...answering,
    schema: {
      type: "string",
      value: "<file>",
      completes: "files",
      help: "answer with JSON that matches the JSON Schema in this file",
    },
    temperature: { type: "string", value: "<n>", sets: "temperature", help: "sampling temperature, from 0 to 2" },
    timeout: { type: "string", value: "<seconds>", sets: "timeout", help: "time limit for the whole command" },
    yes: { type: "boolean", short: "y", help: "approve tool calls that require approval (default: decline)" },
    save: { type: "string", value: "<folder>", completes: "files", help: "save files that the model creates in this folder" },
    record: {
      type: "string",
      value: "<folder>",
      completes: "files",
      help: "record API traffic, without keys, for `antiphon replay`",
    },
    ...json("print every event as a line of JSON"),
    ...configuration,
    ...help,
  },
  notes: `The answer goes to standard output. Reasoning, tool calls and warnings go to standard error.
Exit codes: 0 success, 1 other, 2 usage, 3 configuration, 4 API, 5 network.`,
} as const satisfies Command;

const chat = {
  usage: "[options] [first message]",
  summary: "chat in the terminal (default command)",
  about: "Opens a chat in the terminal. The conversation is saved; --resume continues it.",
  flags: {
    ...answering,
    resume: { type: "boolean", short: "r", help: "continue the last conversation" },
    session: { type: "string", value: "<id>", help: "continue this conversation: its id or a unique prefix" },
    "no-keep": { type: "boolean", help: "do not save the conversation" },
    "no-color": { type: "boolean", help: "disable colours, like $NO_COLOR" },
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const embedding = {
  model: {
    type: "string",
    short: "m",
    value: "<provider:model>",
    sets: "embedding_model",
    help: "the embedding model (default: the configured model)",
  },
  provider: provider.provider,
  "base-url": provider["base-url"],
  dimensions: { type: "string", value: "<n>", help: "vector length, if the model supports it" },
} as const satisfies Flags;

const embedCreate = {
  usage: "[options] [file] …",
  summary: "create embeddings of text",
  about: `Prints the id, text and vector of each text as a line of JSON. In a .jsonl file, each line is a string or an object with
id and text. Other files are split into chunks. Standard input, or -, is read line by line, as JSON or plain text.`,
  completes: "files",
  flags: {
    ...embedding,
    output: {
      type: "string",
      short: "o",
      value: "<file>",
      completes: "files",
      help: "write to this file instead of standard output",
    },
    "chunk-size": { type: "string", value: "<n>", help: "characters per chunk (default: 2000)" },
    "chunk-overlap": { type: "string", value: "<n>", help: "characters shared with the previous chunk (default: 200)" },
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const embedSearch = {
  usage: "[options] --index <file> <query>",
  summary: "find the texts most similar to a query",
  about: "Finds the texts most similar to a query in a file made by `antiphon embed create`. Use the same model for both.",
  completes: "files",
  flags: {
    ...embedding,
    index: {
      type: "string",
      short: "i",
      value: "<file>",
      completes: "files",
      help: "the output of `embed create`; - for standard input",
    },
    count: { type: "string", short: "n", value: "<n>", help: "number of results (default: 5)" },
    "at-least": { type: "string", value: "<score>", help: "minimum similarity, from -1 to 1" },
    ...json("print one line of JSON per result"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const media = {
  usage: "[options] [prompt | @file | -] …",
  summary: "generate images and other files",
  about: "Generates an image or another file and saves it.",
  completes: "files",
  flags: {
    type: {
      type: "string",
      short: "t",
      value: "<mime type>",
      multiple: true,
      completes: ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/csv"],
      help: "file type (default: image/png); repeat to accept several",
    },
    save: { type: "string", value: "<folder>", completes: "files", help: "the folder to save in (default: the current folder)" },
    model: {
      type: "string",
      short: "m",
      value: "<provider:model>",
      sets: "media_model",
      help: "the model to use (default: the configured model)",
    },
    provider: provider.provider,
    "base-url": provider["base-url"],
    size: { type: "string", value: "<size>", help: "image size, such as 1024x1024" },
    quality: { type: "string", value: "<quality>", help: "image quality: auto, low, medium, high" },
    timeout: { type: "string", value: "<seconds>", sets: "timeout", help: "time limit for the whole command" },
    ...json("print one line of JSON per file"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const models = {
  usage: "[options] [provider] …",
  summary: "list available models",
  about: "Lists the models of the given providers. Without arguments, lists all providers that have a key.",
  flags: {
    "base-url": provider["base-url"],
    kind: {
      type: "string",
      value: "<kind>",
      completes: ["chat", "embeddings", "image", "audio"],
      help: "only models for chat, embeddings, image, audio, …",
    },
    timeout: { type: "string", value: "<seconds>", help: "time limit per provider (default: 10)" },
    ...json("print one line of JSON per model"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const serve = {
  usage: "[options]",
  summary: "start the gateway",
  about: "Starts the gateway: one server for all your providers. OpenAI and Anthropic clients can use it.",
  flags: {
    host: { type: "string", value: "<address>", sets: "gateway.host", help: "the address to listen on (default: 127.0.0.1)" },
    port: {
      type: "string",
      short: "p",
      value: "<n>",
      sets: "gateway.port",
      help: "the port; 0 selects a free one (default: 8787)",
    },
    store: {
      type: "string",
      value: "<where>",
      sets: "gateway.store",
      help: "where to store responses: a file, postgres://… or memory",
    },
    model: {
      type: "string",
      short: "m",
      value: "<provider:model>",
      sets: "gateway.default_model",
      help: "the model for requests that name none",
    },
    quiet: { type: "boolean", short: "q", help: "print only the address" },
    ...configuration,
    ...help,
  },
  notes: "Ctrl-C waits for running responses to finish. Press it again to stop immediately.",
} as const satisfies Command;

const sessionsFlags = { ...help } as const satisfies Flags;

const sessionsList = {
  usage: "[options]",
  summary: "list saved conversations",
  about: "Lists the saved conversations, newest first.",
  flags: { ...json("print one line of JSON per conversation"), ...sessionsFlags },
} as const satisfies Command;

const sessionsShow = {
  usage: "<id or prefix>",
  summary: "print a conversation",
  about: "Prints a conversation as Markdown.",
  flags: sessionsFlags,
} as const satisfies Command;

const sessionsExport = {
  usage: "[options] <id or prefix>",
  summary: "export a conversation as Markdown or JSON",
  about: "Exports a conversation as Markdown, or as JSON that the library can load.",
  flags: {
    output: {
      type: "string",
      short: "o",
      value: "<file>",
      completes: "files",
      help: "write to a new file instead of standard output",
    },
    ...json("write JSON for the library's `Chat.from`"),
    ...sessionsFlags,
  },
} as const satisfies Command;

const sessionsRemove = {
  usage: "<id or prefix> …",
  summary: "delete conversations",
  about: "Deletes conversations permanently.",
  flags: sessionsFlags,
} as const satisfies Command;

const replay = {
  usage: "[options] <folder>",
  summary: "replay recorded API traffic",
  about: "Shows the answers recorded by `antiphon run --record`. Needs no network and no key.",
  completes: "files",
  flags: {
    pace: { type: "boolean", help: "replay at the original speed" },
    ...json("print every event as a line of JSON"),
    ...help,
  },
} as const satisfies Command;

const doctor = {
  usage: "[options]",
  summary: "check the installation, configuration and providers",
  about: "Checks Node, the configuration, keys and the connection to each provider, and suggests a fix for each problem.",
  flags: {
    offline: { type: "boolean", help: "do not use the network" },
    timeout: { type: "string", value: "<seconds>", help: "time limit per provider (default: 5)" },
    ...json("print one line of JSON per check"),
    ...configuration,
    ...help,
  },
  notes: "Exit codes: 0 no problems, 1 another problem, 3 a configuration problem, 5 a provider cannot be reached.",
} as const satisfies Command;

const completion = {
  usage: `<${shells.join("|")}>`,
  summary: "print a shell completion script",
  about: "Prints a script that completes commands and options in your shell.",
  completes: shells,
  flags: { ...help },
  notes: `bash: antiphon completion bash > ~/.local/share/bash-completion/completions/antiphon
zsh:  antiphon completion zsh > "\${fpath[1]}/_antiphon"
fish: antiphon completion fish > ~/.config/fish/completions/antiphon.fish`,
} as const satisfies Command;

/** Every command, in the order of the help. Separate from the implementations, so that help does not load the library. */
export const commands = {
  chat,
  run,
  "embed create": embedCreate,
  "embed search": embedSearch,
  media,
  models,
  serve,
  ...keysCommands,
  "sessions list": sessionsList,
  "sessions show": sessionsShow,
  "sessions export": sessionsExport,
  "sessions remove": sessionsRemove,
  replay,
  ...configCommands,
  doctor,
  completion,
} as const satisfies Readonly<Record<string, Command>>;
