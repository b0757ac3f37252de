import type { ChatDialect } from "../codecs/chat/dialect.ts";
import type { GeminiDialect } from "../codecs/gemini/dialect.ts";
import type { MessagesDialect } from "../codecs/messages/dialect.ts";
import type { ResponsesDialect } from "../codecs/responses/dialect.ts";
import type { Respond } from "../core/respond.ts";

/** What each wire's codec can be told about a server. A new wire is a line here and one in `codecs`. */
export interface Dialects {
  responses: Partial<ResponsesDialect>;
  chat: Partial<ChatDialect>;
  messages: Partial<MessagesDialect>;
  gemini: Partial<GeminiDialect>;
}

/** A wire that a server can speak. */
export type Wire = keyof Dialects;

/** A model for each kind of work. */
export interface ModelNames {
  chat?: string;
  embeddings?: string;
  media?: string;
}

/** Something that not every server has; a server is listed with what it is known to have. */
export type Feature =
  /** Runs that outlive the connection. */
  | "background"
  /** `POST /responses/compact`. */
  | "compact"
  /** `POST /embeddings`. */
  | "embeddings"
  /** `input_file` content. */
  | "files"
  /** `input_image` content. */
  | "images"
  /** Tools of remote MCP servers. */
  | "mcp"
  /** Answers bound by a JSON schema in `text.format`. */
  | "schema"
  /** Web searches that the server makes itself. */
  | "search"
  /** `tool_choice`. */
  | "tool_choice"
  /** Responses over a WebSocket. */
  | "websocket";

/** What is odd about a server's embeddings. */
export interface EmbeddingsDialect {
  /** How it can write vectors, where not in base64 of 32-bit floats. */
  encoding?: "base64" | "int8" | "float";
  /** What it calls `dimensions`. */
  dimensionsField?: string;
  /** Texts that it takes in a request, where fewer than most. */
  batch?: number;
  /** The path of a model, `{model}` in it, where a server takes one text at a time. */
  single?: string;
}

/** A value that a server wants beside the key: a part of the base URL, or a header. */
export interface PresetVariable {
  /** The environment variables that may hold it, in order. */
  env: readonly string[];
  /** The header that carries it; without one it fills `{name}` in the base URL. */
  header?: string;
}

/** What every preset says. */
interface PresetFacts {
  /** Lower case, and the first part of a model string: `openai` in `openai:gpt-5.2`. */
  name: string;
  /** Other names for the same provider. */
  aliases?: readonly string[];
  /** The models that are meant where a model string names none. */
  models?: ModelNames;
  /**
   * Whose models the server has: its vendor's own, or a catalogue of many vendors' under names such as `org/model`. Undefined for
   * a server on which its user installs models under any name. `checkModelName` rejects names that the server cannot have.
   */
  hosts?: "own" | "catalogue";
  /** Whether the server keeps responses, so that `previous_response_id` can be used. */
  stores?: boolean;
  features?: readonly Feature[];
  /** What users must know about the provider; one line in `docs/providers.md`. */
  note?: string;
}

/** Where a server is and what it wants to hear. */
interface ServerFacts extends PresetFacts {
  /** The preset of the same server on another wire; its config and its variable for the base URL count for this one too. */
  twin?: string;
  /** May hold `{name}` placeholders for `variables`; left out where only the user can know it. */
  baseUrl?: string;
  /** How a base URL must end: added to one of the user's that ends otherwise, since variables of other programs often do. */
  baseUrlEnd?: string;
  /** Environment variables that replace the base URL; `<NAME>_BASE_URL` where left out, by the name of the twin if there is one. */
  baseUrlEnv?: readonly string[];
  /** Environment variables that may hold the key, in order. */
  env?: readonly string[];
  /** Whether the server answers without a key. */
  keyless?: boolean;
  /** The header that carries the bare key; `Authorization: Bearer …` where left out. */
  keyHeader?: string;
  variables?: Readonly<Record<string, PresetVariable>>;
  headers?: Readonly<Record<string, string>>;
  /** Added to every URL. */
  query?: Readonly<Record<string, string>>;
  embeddings?: EmbeddingsDialect;
  /** Where the models are listed, below the base URL; `/models` where left out, `null` where the server lists none. */
  modelsPath?: string | null;
}

/** A server that speaks a wire, as data; of any wire, where none is named. */
export type ServerPreset<W extends Wire = Wire> = { [V in W]: ServerFacts & { wire: V; dialect?: Dialects[V] } }[W];

/** A model inside this process. */
export interface LocalPreset extends PresetFacts {
  wire: "local";
  respond: () => Respond;
  /** Vectors for texts, and what they took. */
  embed?(texts: readonly string[], dimensions?: number): Promise<{ vectors: Float32Array[]; inputTokens: number }>;
}

/**
 * All that is known about a provider.
 *
 * @example
 * const acme: Preset = { name: "acme", wire: "responses", baseUrl: "https://llm.acme.example/v1", env: ["ACME_API_KEY"] };
 * const model = provider(acme, { model: "acme-large" });
 */
export type Preset = ServerPreset | LocalPreset;

/** The environment variables that replace a preset's base URL. */
export const baseUrlVariables = (preset: ServerPreset): readonly string[] =>
  preset.baseUrlEnv ?? [`${(preset.twin ?? preset.name).toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_BASE_URL`];
