import type { ReasoningEffort } from "../../model/index.ts";

/** What one model takes and the next does not. */
export interface ModelTraits {
  /** How thinking is asked for: by a budget of tokens, by an effort with the rest left to the model, or not at all. */
  thinking: "none" | "budget" | "adaptive";
  /** The values of `output_config.effort` that it knows. */
  efforts: readonly string[];
  /** The longest answer in tokens: asked for where the caller names no limit, since the wire wants one. */
  maxTokens: number;
  /** Whether temperature and top_p may be given: both, only one of them at a time, or neither. */
  sampling: "both" | "one" | "none";
  /** Whether the conversation may end with the assistant's own words, for it to go on from. */
  prefill: boolean;
  /** Whether system messages may stand among the others, after a user's. */
  systemTurns: boolean;
  /** How typed output is asked for: by a field of the request, or by a tool that stands in for the answer. */
  typedOutput: "output_config" | "output_format" | "tool";
  /** Whether a tool may be declared strict. */
  strictTools: boolean;
}

/** Traits that begin with a version of the models. */
export interface VersionTraits extends Partial<ModelTraits> {
  /** Major and minor: `[4, 6]`. */
  since: readonly [number, number];
}

/** The versioned names of server-side tools; `null` where the server has no such tool. */
export interface HostedVersions {
  web_search: string | null;
  code_interpreter: string | null;
  tool_search: string | null;
  /** `mcp_toolset` as a tool of its own, or `tool_configuration` inside the server's entry. */
  mcp: "mcp_toolset" | "tool_configuration" | null;
  compaction: string | null;
}

/** How a server's Messages differ from the next one's; a preset fills in what it needs. */
export interface MessagesDialect {
  /** Below the base URL; `{model}` is replaced by the model's name. */
  path: string;
  /** The path of a streamed request, where it is another one. */
  streamPath?: string;
  /** Whether the body names the model; where not, the path does. */
  modelInBody: boolean;
  /** Fields that every body holds: `{ anthropic_version: "vertex-2023-10-16" }`. */
  fixed: Readonly<Record<string, unknown>>;
  /** Whose signatures these are, as envelopes name it: blobs go back only where they came from. Claude's are good on every cloud. */
  vendor: string;
  /** Asked for where the caller names no limit; the model's own longest answer, where left out. */
  maxTokens?: number;
  /** Tokens to think with, by effort, for models that take a budget. */
  budgets: Readonly<Record<Exclude<ReasoningEffort, "none">, number>>;
  /** Whether thinking without a signature may be sent back. */
  unsignedThinking: boolean;
  /** Whether images and documents may be given by URL. */
  urlSources: boolean;
  /** What `prompt_cache_key` leads to: nothing, one automatic mark on the request, or marks on its stable parts. */
  caching: "none" | "automatic" | "breakpoints";
  hosted: HostedVersions;
  /** The traits of models that `versions` does not speak of. */
  model: ModelTraits;
  /** The traits of Claude models, oldest first: each version has those of all before it. */
  versions: readonly VersionTraits[];
}

const plainModel: ModelTraits = {
  thinking: "budget",
  efforts: [],
  maxTokens: 4_096,
  sampling: "both",
  prefill: true,
  systemTurns: false,
  typedOutput: "tool",
  strictTools: false,
};

const versions: readonly VersionTraits[] = [
  { since: [0, 0], thinking: "none" },
  { since: [3, 5], maxTokens: 8_192 },
  { since: [3, 7], maxTokens: 64_000, thinking: "budget" },
  { since: [4, 0], maxTokens: 32_000 },
  { since: [4, 1], sampling: "one", typedOutput: "output_config", strictTools: true },
  { since: [4, 5], maxTokens: 64_000 },
  { since: [4, 6], maxTokens: 128_000, thinking: "adaptive", efforts: ["low", "medium", "high", "max"], prefill: false },
  { since: [4, 7], efforts: ["low", "medium", "high", "xhigh", "max"], sampling: "none" },
  { since: [4, 8], systemTurns: true },
];

/** Anthropic's own server. */
export const plainDialect: MessagesDialect = {
  path: "/messages",
  modelInBody: true,
  fixed: {},
  vendor: "messages",
  budgets: { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 32_000 },
  unsignedThinking: false,
  urlSources: true,
  caching: "none",
  hosted: {
    web_search: "web_search_20250305",
    code_interpreter: "code_execution_20250825",
    tool_search: "tool_search_tool_regex_20251119",
    mcp: "mcp_toolset",
    compaction: "compact_20260112",
  },
  model: plainModel,
  versions,
};

// `claude-3-5-haiku`, `claude-opus-4-1-20250805`, `claude-sonnet-5`, `anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-4.7-opus`
const versionIn = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?!\d)/;

/** What a model takes, told from the version in its name. */
export function traitsOf(model: string | null | undefined, dialect: MessagesDialect): ModelTraits {
  const found = versionIn.exec(model ?? "");
  if (!found) return dialect.model;
  const version = Number(found[1]) * 100 + Number(found[2] ?? 0);
  const traits = { ...dialect.model };
  for (const { since, ...row } of dialect.versions) if (since[0] * 100 + since[1] <= version) Object.assign(traits, row);
  return traits;
}
