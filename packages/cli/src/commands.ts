import { configCommands } from "./config-commands.ts";
import { keysCommands } from "./keys-commands.ts";
import type { Command, Flags } from "./options.ts";
import { configuration, help, json } from "./shared-flags.ts";
import { shells } from "./shells.ts";

/** The names of the tools that come with the command line. */
export const toolNames = ["clock", "calculator"] as const;

const provider = {
  model: {
    type: "string",
    short: "m",
    value: "<provider:model>",
    sets: "model",
    help: "who answers; else the configuration says, else offline",
  },
  provider: { type: "string", value: "<name>", sets: "provider", help: "the provider, where --model names its model alone" },
  "base-url": { type: "string", value: "<url>", help: "where the provider is, if not at its usual place" },
} as const satisfies Flags;

const answering = {
  ...provider,
  instructions: { type: "string", value: "<text>", sets: "instructions", help: "how to answer" },
  effort: {
    type: "string",
    value: "<effort>",
    sets: "effort",
    completes: ["none", "minimal", "low", "medium", "high", "xhigh"],
    help: "how hard to think: none, minimal, low, medium, high, xhigh",
  },
  verbosity: {
    type: "string",
    value: "<length>",
    sets: "verbosity",
    completes: ["low", "medium", "high"],
    help: "how long the answer is: low, medium, high",
  },
  "max-tokens": { type: "string", value: "<n>", sets: "max_tokens", help: "tokens that the answer may have" },
  "max-steps": {
    type: "string",
    value: "<n>",
    sets: "max_steps",
    help: "how many times the model is asked while it uses tools (20)",
  },
  tool: {
    type: "string",
    value: "<name>",
    multiple: true,
    completes: toolNames,
    help: `let the model use ${toolNames.join(", ")} or a configured MCP server; may be repeated`,
  },
  mcp: {
    type: "string",
    value: "<server>",
    multiple: true,
    help: "let it use an MCP server: a name, an address or a command; may be repeated",
  },
} as const satisfies Flags;

const run = {
  usage: "[options] [prompt | @file | -] …",
  summary: "answer one prompt",
  about: `Answers one prompt. @file attaches a file, - stands for standard input. What is piped in goes after the prompt, or is the prompt where
there is none.`,
  completes: "files",
  flags: {
    ...answering,
    schema: {
      type: "string",
      value: "<file>",
      completes: "files",
      help: "answer with JSON that fits the JSON Schema in this file",
    },
    temperature: { type: "string", value: "<n>", sets: "temperature", help: "how freely to choose words, from 0 to 2" },
    timeout: { type: "string", value: "<seconds>", sets: "timeout", help: "give up after this long" },
    yes: { type: "boolean", short: "y", help: "agree to tool calls that a person should agree to; else they are declined" },
    save: { type: "string", value: "<folder>", completes: "files", help: "keep files that the model makes there" },
    record: {
      type: "string",
      value: "<folder>",
      completes: "files",
      help: "keep the traffic with the provider there, less keys, for `antiphon replay`",
    },
    ...json("print every event as a line of JSON"),
    ...configuration,
    ...help,
  },
  notes: `The answer goes to standard output; thinking, tool calls and warnings go to standard error.
Exit codes: 0 ok, 1 general, 2 usage, 3 configuration, 4 API, 5 network.`,
} as const satisfies Command;

const chat = {
  usage: "[options]",
  summary: "talk; the same as antiphon alone",
  about: "Opens a conversation in the terminal. It is kept, and --resume goes on with it.",
  flags: {
    ...answering,
    resume: { type: "boolean", short: "r", help: "go on with the last conversation" },
    session: { type: "string", value: "<id>", help: "go on with this one; the beginning of its id will do" },
    "no-keep": { type: "boolean", help: "keep nothing of it" },
    "no-color": { type: "boolean", help: "use no colours, as with $NO_COLOR" },
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
    help: "who embeds; else the configuration says",
  },
  provider: provider.provider,
  "base-url": provider["base-url"],
  dimensions: { type: "string", value: "<n>", help: "the length of the vectors, where the model lets one choose" },
} as const satisfies Flags;

const embedCreate = {
  usage: "[options] [file] …",
  summary: "turn texts into vectors",
  about: `Embeds texts and prints a line of JSON for each: its id, the text and the vector. Files that end in .jsonl hold a text, or an object with
id and text, on each line; other files are cut into pieces. Standard input, or -, is taken line by line, as JSON or as text.`,
  completes: "files",
  flags: {
    ...embedding,
    output: {
      type: "string",
      short: "o",
      value: "<file>",
      completes: "files",
      help: "write there instead of to standard output",
    },
    "chunk-size": { type: "string", value: "<n>", help: "characters in a piece of a file (2000)" },
    "chunk-overlap": { type: "string", value: "<n>", help: "characters that a piece shares with the one before (200)" },
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const embedSearch = {
  usage: "[options] --index <file> <query>",
  summary: "find the texts nearest to a query",
  about: "Embeds a query and finds the nearest of the vectors that `antiphon embed create` made. Use the same model for both.",
  completes: "files",
  flags: {
    ...embedding,
    index: {
      type: "string",
      short: "i",
      value: "<file>",
      completes: "files",
      help: "what `embed create` wrote; - is standard input",
    },
    count: { type: "string", short: "n", value: "<n>", help: "how many to find (5)" },
    "at-least": { type: "string", value: "<score>", help: "leave out what is less alike, from -1 to 1" },
    ...json("print each as a line of JSON"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const media = {
  usage: "[options] [prompt | @file | -] …",
  summary: "make pictures and files",
  about: "Has a model make a picture, or another kind of file, and keeps it.",
  completes: "files",
  flags: {
    type: {
      type: "string",
      short: "t",
      value: "<mime type>",
      multiple: true,
      completes: ["image/png", "image/jpeg", "image/webp", "application/pdf", "text/csv"],
      help: "what to make (image/png); several where any will do",
    },
    save: { type: "string", value: "<folder>", completes: "files", help: "where to keep it (this folder)" },
    model: {
      type: "string",
      short: "m",
      value: "<provider:model>",
      sets: "media_model",
      help: "who makes it; else the configuration says",
    },
    provider: provider.provider,
    "base-url": provider["base-url"],
    size: { type: "string", value: "<size>", help: "of a picture, such as 1024x1024" },
    quality: { type: "string", value: "<quality>", help: "of a picture: low, medium, high" },
    timeout: { type: "string", value: "<seconds>", sets: "timeout", help: "give up after this long" },
    ...json("print what was made as a line of JSON each"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const models = {
  usage: "[options] [provider] …",
  summary: "list the models that can be reached",
  about: "Lists the models of the providers that can be reached now: those that are named, or else all that there is a key for.",
  flags: {
    "base-url": provider["base-url"],
    kind: {
      type: "string",
      value: "<kind>",
      completes: ["chat", "embeddings", "image", "audio"],
      help: "only those for chat, embeddings, image, audio, …",
    },
    timeout: { type: "string", value: "<seconds>", help: "how long to wait for a provider (10)" },
    ...json("print each model as a line of JSON"),
    ...configuration,
    ...help,
  },
} as const satisfies Command;

const serve = {
  usage: "[options]",
  summary: "start the gateway",
  about: "Starts a Responses server in front of every provider that is configured.",
  flags: {
    host: { type: "string", value: "<address>", sets: "gateway.host", help: "the address to listen on (127.0.0.1)" },
    port: { type: "string", short: "p", value: "<n>", sets: "gateway.port", help: "the port; 0 takes any that is free (8787)" },
    store: {
      type: "string",
      value: "<where>",
      sets: "gateway.store",
      help: "where responses are kept: a file, postgres://… or memory",
    },
    model: {
      type: "string",
      short: "m",
      value: "<provider:model>",
      sets: "gateway.default_model",
      help: "who answers where a request names no model",
    },
    quiet: { type: "boolean", short: "q", help: "print the address alone" },
    ...configuration,
    ...help,
  },
  notes: "Ctrl-C lets running responses end; a second one stops at once.",
} as const satisfies Command;

const sessionsFlags = { ...help } as const satisfies Flags;

const sessionsList = {
  usage: "[options]",
  summary: "list the conversations that are kept",
  about: "Lists the conversations that are kept, the latest first.",
  flags: { ...json("print each as a line of JSON"), ...sessionsFlags },
} as const satisfies Command;

const sessionsShow = {
  usage: "<id>",
  summary: "print a conversation",
  about: "Prints what was said in a conversation.",
  flags: sessionsFlags,
} as const satisfies Command;

const sessionsExport = {
  usage: "[options] <id>",
  summary: "write a conversation as Markdown or JSON",
  about: "Writes a conversation as Markdown, or with --json as the library keeps it.",
  flags: {
    output: {
      type: "string",
      short: "o",
      value: "<file>",
      completes: "files",
      help: "write to a new file instead of standard output",
    },
    ...json("write JSON, for `Chat.from`"),
    ...sessionsFlags,
  },
} as const satisfies Command;

const sessionsRemove = {
  usage: "<id> …",
  summary: "remove conversations",
  about: "Removes conversations for good.",
  flags: sessionsFlags,
} as const satisfies Command;

const replay = {
  usage: "[options] <folder>",
  summary: "play recorded traffic",
  about: "Shows the answers that `antiphon run --record` kept, without a network or a key.",
  completes: "files",
  flags: {
    pace: { type: "boolean", help: "wait as long as the provider did" },
    ...json("print every event as a line of JSON"),
    ...help,
  },
} as const satisfies Command;

const doctor = {
  usage: "[options]",
  summary: "check what works from here, and why not",
  about:
    "Checks this machine, the configuration, keys, and whether providers can be reached; says what to do about what is wrong.",
  flags: {
    offline: { type: "boolean", help: "ask nobody over the network" },
    timeout: { type: "string", value: "<seconds>", help: "how long to wait for a provider (5)" },
    ...json("print each check as a line of JSON"),
    ...configuration,
    ...help,
  },
  notes: "Ends with 0 where all is well, 3 where the configuration is at fault, 5 where a provider cannot be reached.",
} as const satisfies Command;

const completion = {
  usage: `<${shells.join("|")}>`,
  summary: "print a script that completes commands in a shell",
  about: "Prints a script for a shell to complete commands and flags with.",
  completes: shells,
  flags: { ...help },
  notes: `bash: antiphon completion bash > ~/.local/share/bash-completion/completions/antiphon
zsh:  antiphon completion zsh > "\${fpath[1]}/_antiphon"
fish: antiphon completion fish > ~/.config/fish/completions/antiphon.fish`,
} as const satisfies Command;

/** Every command, in the order of the help. Kept apart from what they do, so that help needs no library. */
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
