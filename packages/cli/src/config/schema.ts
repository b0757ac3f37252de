import { gatewayKeys } from "./gateway-schema.ts";

/** The documentation of a key. */
interface Facts {
  doc: string;
  /** The default, as text for the documentation. */
  otherwise?: string;
}

type StringKey = Facts & { kind: "string"; values?: readonly string[] };
type NumberKey = Facts & { kind: "integer" | "number"; least: number; most?: number };
type BooleanKey = Facts & { kind: "boolean" };
/** A list of strings. */
type StringsKey = Facts & { kind: "strings" };
/** A table of strings with arbitrary names. */
type PairsKey = Facts & { kind: "pairs" };
/** A table with these keys. With `orBoolean`, `true` or `false` is also valid. */
type TableKey = Facts & { kind: "table"; keys: Keys; orBoolean?: true };
/** Tables with these keys under arbitrary names. */
type TablesKey = Facts & { kind: "tables"; keys: Keys };

/** A value that the gateway checks. */
type OpenKey = Facts & { kind: "open" };

/** A key with a single value, which a variable or an option can set. */
export type ScalarKey = StringKey | NumberKey | BooleanKey;
export type Key = ScalarKey | StringsKey | PairsKey | TableKey | TablesKey | OpenKey;
export type Keys = Readonly<Record<string, Key>>;

/** The default models of a provider. */
const modelNames = {
  model: { kind: "string", doc: "default model" },
  embedding_model: { kind: "string", doc: "default embedding model" },
  media_model: { kind: "string", doc: "default model of `media`" },
} as const satisfies Keys;

const providerKeys = {
  api_key: { kind: "string", doc: "key; the provider's own variable takes precedence" },
  base_url: { kind: "string", doc: "base URL; the provider's own variable takes precedence" },
  headers: { kind: "pairs", doc: "headers for every request" },
  ...modelNames,
} as const satisfies Keys;

const presetKeys = {
  wire: { kind: "string", values: ["responses", "chat", "messages", "gemini"], doc: "API of the server (required)" },
  base_url: { kind: "string", doc: "base URL" },
  env: { kind: "strings", doc: "variables with the key; the first one set is used" },
  keyless: { kind: "boolean", doc: "works without a key" },
  key_header: { kind: "string", doc: "header with the key", otherwise: "`Authorization: Bearer`" },
  headers: { kind: "pairs", doc: "headers for every request" },
  stores: { kind: "boolean", doc: "stores responses for `previous_response_id`" },
  ...modelNames,
} as const satisfies Keys;

const mcpKeys = {
  command: { kind: "string", doc: "program to start" },
  args: { kind: "strings", doc: "arguments of the program" },
  env: { kind: "pairs", doc: "environment variables of the program" },
  cwd: { kind: "string", doc: "working directory of the program" },
  url: { kind: "string", doc: "URL of the server, instead of `command`" },
  headers: { kind: "pairs", doc: "headers for every request to `url`" },
  prefix: { kind: "string", doc: "prefix of tool names", otherwise: "server name" },
  allow: { kind: "strings", doc: "tools to offer" },
  deny: { kind: "strings", doc: "tools to hide" },
  approval: {
    kind: "string",
    values: ["never", "always", "writes", "destructive"],
    doc: "calls to approve",
    otherwise: "`writes` in `chat`, `never` in `run`",
  },
  timeout: { kind: "number", least: 0, doc: "seconds per call", otherwise: "120" },
} as const satisfies Keys;

const priceKeys = {
  input: { kind: "number", least: 0, doc: "dollars per million input tokens" },
  output: { kind: "number", least: 0, doc: "per million output tokens" },
  cached: { kind: "number", least: 0, doc: "per million input tokens read from the cache" },
  cache_write: { kind: "number", least: 0, doc: "per million input tokens written to the cache" },
} as const satisfies Keys;

/** Every configuration key with its type, description and default. */
export const schema = {
  provider: { kind: "string", doc: "provider; see [Choose a model](#choose-a-model)" },
  model: { kind: "string", doc: "model of the provider, or a model string such as `openai:gpt-5.2`" },
  embedding_model: { kind: "string", doc: "model for `embed`" },
  media_model: { kind: "string", doc: "model for `media`" },
  instructions: { kind: "string", doc: "instructions for the model" },
  effort: {
    kind: "string",
    values: ["none", "minimal", "low", "medium", "high", "xhigh"],
    doc: "reasoning effort",
  },
  verbosity: { kind: "string", values: ["low", "medium", "high"], doc: "length of answers" },
  temperature: { kind: "number", least: 0, most: 2, doc: "sampling temperature, 0 to 2" },
  max_tokens: { kind: "integer", least: 1, doc: "maximum tokens of an answer" },
  max_steps: { kind: "integer", least: 1, doc: "maximum model calls per answer", otherwise: "20" },
  timeout: { kind: "number", least: 0, doc: "seconds for the whole answer; 0 for no limit", otherwise: "0" },
  connect_timeout: { kind: "number", least: 0, doc: "seconds to connect", otherwise: "10" },
  first_event_timeout: {
    kind: "number",
    least: 0,
    doc: "seconds until the first event; 0 for no limit",
    otherwise: "900",
  },
  idle_timeout: {
    kind: "number",
    least: 0,
    doc: "seconds between events; 0 for no limit",
    otherwise: "900",
  },
  parallel_tool_calls: {
    kind: "boolean",
    doc: "allow parallel tool calls",
  },
  store: { kind: "boolean", doc: "let the provider store responses" },
  context_budget: {
    kind: "integer",
    least: 1,
    doc: "maximum context of a chat, in tokens",
    otherwise: "150000, or 32000 for local servers",
  },
  summarize_threshold: {
    kind: "number",
    least: 0,
    most: 1,
    doc: "share of the budget at which a chat is summarised",
    otherwise: "0.75",
  },
  min_recent_messages: { kind: "integer", least: 0, doc: "recent messages that are never summarised", otherwise: "6" },
  tools: { kind: "strings", doc: "tools of `run` and `chat`: `clock`, `calculator`, MCP servers" },
  providers: { kind: "tables", keys: providerKeys, doc: "provider settings" },
  presets: { kind: "tables", keys: presetKeys, doc: "custom providers" },
  mcp: { kind: "tables", keys: mcpKeys, doc: "MCP servers" },
  prices: { kind: "tables", keys: priceKeys, doc: "model prices" },
  gateway: { kind: "table", keys: gatewayKeys, doc: "gateway" },
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

/** The configuration, with keys spelled as in the files. */
export type Values = TableOf<typeof schema>;
export type McpSettings = TableOf<typeof mcpKeys>;
export type ProviderSettings = TableOf<typeof providerKeys>;
export type PresetSettings = TableOf<typeof presetKeys>;

/** The environment variable of a key: `ANTIPHON_MAX_TOKENS` for `max_tokens`. */
export const variableOf = (path: readonly string[]): string => `ANTIPHON_${path.join("_").toUpperCase()}`;

export const isScalar = (key: Key): key is ScalarKey =>
  key.kind === "string" || key.kind === "integer" || key.kind === "number" || key.kind === "boolean";

/** The keys that a variable can set: single values with known names. */
export function* scalars(
  keys: Keys = schema,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; key: ScalarKey }> {
  for (const [name, key] of Object.entries(keys)) {
    if (isScalar(key)) yield { path: [...path, name], key };
    else if (key.kind === "table") yield* scalars(key.keys, [...path, name]);
  }
}

/** The key at a path, or `undefined`. */
export function keyAt(path: readonly string[], keys: Keys = schema): Key | undefined {
  const [name = "", ...rest] = path;
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (!key || rest.length === 0) return key;
  if (key.kind === "table") return keyAt(rest, key.keys);
  // Values of a table of strings are strings. Values in an open key are open.
  if (key.kind === "pairs" && rest.length === 1) return { kind: "string", doc: key.doc };
  if (key.kind === "open") return key;
  return key.kind === "tables" && rest.length > 1 ? keyAt(rest.slice(1), key.keys) : undefined;
}
