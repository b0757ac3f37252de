import { gatewayKeys } from "./gateway-schema.ts";

/** What is said of every key. */
interface Facts {
  doc: string;
  /** What holds where nothing is said, in words: for the docs. */
  otherwise?: string;
}

type StringKey = Facts & { kind: "string"; values?: readonly string[] };
type NumberKey = Facts & { kind: "integer" | "number"; least: number; most?: number };
type BooleanKey = Facts & { kind: "boolean" };
/** A list of strings. */
type StringsKey = Facts & { kind: "strings" };
/** A table of strings under names of the user's choice. */
type PairsKey = Facts & { kind: "pairs" };
/** A table with these keys; instead of some, `true` or `false` may stand. */
type TableKey = Facts & { kind: "table"; keys: Keys; orBoolean?: true };
/** Any number of tables with these keys, each under a name of the user's choice. */
type TablesKey = Facts & { kind: "tables"; keys: Keys };

/** Something that somebody else checks. */
type OpenKey = Facts & { kind: "open" };

/** A key whose value is one word or number, so that a variable or a flag can hold it. */
export type ScalarKey = StringKey | NumberKey | BooleanKey;
export type Key = ScalarKey | StringsKey | PairsKey | TableKey | TablesKey | OpenKey;
export type Keys = Readonly<Record<string, Key>>;

/** Where the user may say which model is meant where nobody names one. */
const modelNames = {
  model: { kind: "string", doc: "the model that is meant where none is named" },
  embedding_model: { kind: "string", doc: "the same for embeddings" },
  media_model: { kind: "string", doc: "the same for pictures and files" },
} as const satisfies Keys;

const providerKeys = {
  api_key: { kind: "string", doc: "the key, where the provider's own variable is not set" },
  base_url: { kind: "string", doc: "where the provider is, where its own variable is not set" },
  headers: { kind: "pairs", doc: "headers that every request gets" },
  ...modelNames,
} as const satisfies Keys;

const presetKeys = {
  wire: { kind: "string", values: ["responses", "chat", "messages", "gemini"], doc: "what the server speaks" },
  base_url: { kind: "string", doc: "where it is" },
  env: { kind: "strings", doc: "variables that may hold its key, in order" },
  keyless: { kind: "boolean", doc: "whether it answers without a key" },
  key_header: { kind: "string", doc: "the header that carries the bare key", otherwise: "`Authorization: Bearer`" },
  headers: { kind: "pairs", doc: "headers that every request gets" },
  stores: { kind: "boolean", doc: "whether it keeps responses, so that they can be chained to" },
  ...modelNames,
} as const satisfies Keys;

const mcpKeys = {
  command: { kind: "string", doc: "the program to start" },
  args: { kind: "strings", doc: "its arguments" },
  env: { kind: "pairs", doc: "variables for it" },
  cwd: { kind: "string", doc: "the folder that it runs in" },
  url: { kind: "string", doc: "the server's address, instead of a command" },
  headers: { kind: "pairs", doc: "headers that every request to the address gets" },
  prefix: { kind: "string", doc: "put before the names of its tools", otherwise: "the server's name" },
  allow: { kind: "strings", doc: "only these tools" },
  deny: { kind: "strings", doc: "all tools but these" },
  approval: {
    kind: "string",
    values: ["never", "always", "writes", "destructive"],
    doc: "which calls a person must agree to; `run` has nobody to ask, and declines them",
    otherwise: "`writes` in `chat`, `never` in `run`",
  },
  timeout: { kind: "number", least: 0, doc: "seconds that a call may take", otherwise: "120" },
} as const satisfies Keys;

const priceKeys = {
  input: { kind: "number", least: 0, doc: "dollars for a million tokens of input" },
  output: { kind: "number", least: 0, doc: "of output" },
  cached: { kind: "number", least: 0, doc: "of input that was read from the cache" },
  cache_write: { kind: "number", least: 0, doc: "of input that was written to the cache" },
} as const satisfies Keys;

/** Every key of the configuration: what may stand there, what for, and what holds otherwise. */
export const schema = {
  provider: { kind: "string", doc: "who answers", otherwise: "`offline`" },
  model: { kind: "string", doc: "the provider's model, or a whole model string such as `openai:gpt-5.2`" },
  embedding_model: { kind: "string", doc: "the model string for `embed`", otherwise: "`model`'s provider" },
  media_model: { kind: "string", doc: "the model string for `media`", otherwise: "`model`'s provider" },
  instructions: { kind: "string", doc: "how to answer" },
  effort: {
    kind: "string",
    values: ["none", "minimal", "low", "medium", "high", "xhigh"],
    doc: "how hard to think",
    otherwise: "the model decides",
  },
  verbosity: { kind: "string", values: ["low", "medium", "high"], doc: "how long answers are", otherwise: "the model decides" },
  temperature: { kind: "number", least: 0, most: 2, doc: "how freely to choose words", otherwise: "the model decides" },
  max_tokens: { kind: "integer", least: 1, doc: "tokens that an answer may have", otherwise: "the model's limit" },
  max_steps: { kind: "integer", least: 1, doc: "how many times the model is asked while it uses tools", otherwise: "20" },
  timeout: { kind: "number", least: 0, doc: "seconds after which an answer is given up; 0 for never", otherwise: "0" },
  connect_timeout: { kind: "number", least: 0, doc: "seconds until the connection to a provider is made", otherwise: "10" },
  first_event_timeout: {
    kind: "number",
    least: 0,
    doc: "seconds that a model may be silent before its answer begins; 0 for ever",
    otherwise: "900",
  },
  idle_timeout: {
    kind: "number",
    least: 0,
    doc: "seconds that a model may be silent in its answer; 0 for ever; see [all timeouts](timeouts.md)",
    otherwise: "900",
  },
  parallel_tool_calls: {
    kind: "boolean",
    doc: "whether the model may call several tools at once",
    otherwise: "the model decides",
  },
  store: { kind: "boolean", doc: "whether the provider keeps responses", otherwise: "the provider decides" },
  context_budget: {
    kind: "integer",
    least: 1,
    doc: "tokens that a chat may hold before its older part is summarised",
    otherwise: "150000; 32000 for a server on this machine",
  },
  summarize_threshold: {
    kind: "number",
    least: 0,
    most: 1,
    doc: "the share of the budget at which that happens",
    otherwise: "0.75",
  },
  min_recent_messages: { kind: "integer", least: 0, doc: "messages at the end that always stay as they are", otherwise: "6" },
  tools: { kind: "strings", doc: "tools that `run` and `chat` have without being told: built-in ones, and MCP servers by name" },
  providers: { kind: "tables", keys: providerKeys, doc: "what is special about a provider here" },
  presets: { kind: "tables", keys: presetKeys, doc: "a provider of your own" },
  mcp: { kind: "tables", keys: mcpKeys, doc: "a server of tools" },
  prices: { kind: "tables", keys: priceKeys, doc: "what a model costs, where that is not known" },
  gateway: { kind: "table", keys: gatewayKeys, doc: "what `antiphon serve` does" },
} as const satisfies Keys;

type ValueOf<K extends Key> = K extends StringKey
  ? K extends { values: readonly (infer V)[] }
    ? V
    : string
  : K extends NumberKey
    ? number
    : K extends BooleanKey
      ? boolean
      : K extends StringsKey
        ? readonly string[]
        : K extends PairsKey
          ? Readonly<Record<string, string>>
          : K extends TablesKey
            ? Readonly<Record<string, TableOf<K["keys"]>>>
            : K extends TableKey
              ? TableOf<K["keys"]> | (K extends { orBoolean: true } ? boolean : never)
              : unknown;

type TableOf<K extends Keys> = { readonly [N in keyof K]?: ValueOf<K[N]> };

/** All that the configuration says, in the spelling of the files. */
export type Values = TableOf<typeof schema>;
export type McpSettings = TableOf<typeof mcpKeys>;
export type ProviderSettings = TableOf<typeof providerKeys>;
export type PresetSettings = TableOf<typeof presetKeys>;

/** The variable that holds a key: `ANTIPHON_MAX_TOKENS` for `max_tokens`. */
export const variableOf = (path: readonly string[]): string => `ANTIPHON_${path.join("_").toUpperCase()}`;

export const isScalar = (key: Key): key is ScalarKey =>
  key.kind === "string" || key.kind === "integer" || key.kind === "number" || key.kind === "boolean";

/** The keys that a variable can hold: single values under names that are known. */
export function* scalars(
  keys: Keys = schema,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; key: ScalarKey }> {
  for (const [name, key] of Object.entries(keys)) {
    if (isScalar(key)) yield { path: [...path, name], key };
    else if (key.kind === "table") yield* scalars(key.keys, [...path, name]);
  }
}

/** The key at a path; nothing where there is none. */
export function keyAt(path: readonly string[], keys: Keys = schema): Key | undefined {
  const [name = "", ...rest] = path;
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (!key || rest.length === 0) return key;
  if (key.kind === "table") return keyAt(rest, key.keys);
  // What is in a table of texts is text; what is in something open is as open.
  if (key.kind === "pairs" && rest.length === 1) return { kind: "string", doc: key.doc };
  if (key.kind === "open") return key;
  return key.kind === "tables" && rest.length > 1 ? keyAt(rest.slice(1), key.keys) : undefined;
}
