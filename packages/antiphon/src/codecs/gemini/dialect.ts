import type { ReasoningEffort } from "../../model/index.ts";

/** What one generation of models takes and the next does not. */
export interface ModelTraits {
  /** How thinking is asked for: by a budget of tokens, by a level, or not at all. */
  thinking: "none" | "budget" | "level";
  /** The smallest budget; 0 where thinking can be switched off. */
  leastBudget: number;
  /** The levels that the model knows, from the lowest. */
  levels: readonly string[];
  /** Whether typed output may be asked for natively while functions are declared too; else a hidden function stands in. */
  schemaBesideTools: boolean;
  /** Whether server-side tools and functions may be declared together; else the server-side ones are left out. */
  mixesTools: boolean;
  /** Whether a function's result may hold images and files; else they follow in a user message. */
  mediaInResults: boolean;
  /**
   * Stands in for the signature of a call that another model made: models that demand one document a word for it, and refuse the
   * history else. Nothing is sent where left out.
   */
  dummySignature?: string;
}

/** Traits that hold for the models whose names fit. */
export interface ModelFamily extends Partial<ModelTraits> {
  match: RegExp;
}

/** How a server's generateContent differs from the next one's; a preset fills in what it needs. */
export interface GeminiDialect {
  /** Where a model is, below the base URL; `{model}` stands for its name. */
  modelPath: string;
  /** Whether schemas go as JSON Schema, or in the older subset of OpenAPI. */
  schemas: "json-schema" | "openapi";
  /** Whether ids of calls are sent; results are matched by name and order elsewhere. */
  callIds: boolean;
  /** Whether the server shows its own tools' calls as parts, as it must where they stand beside functions. */
  showsServerTools: boolean;
  /** Whether the server calls remote MCP servers. */
  mcp: boolean;
  /** Whether inline files may have names. */
  fileNames: boolean;
  /** Whether the server searches stored files. */
  fileSearch: boolean;
  /** Tokens to think with, by effort, for models that take a budget. */
  budgets: Readonly<Record<ReasoningEffort, number>>;
  /** The traits of models that no family fits. */
  model: ModelTraits;
  /** The first family that fits a model's name counts. */
  families: readonly ModelFamily[];
}

const newest: ModelTraits = {
  thinking: "level",
  leastBudget: 0,
  levels: ["minimal", "low", "medium", "high"],
  schemaBesideTools: true,
  mixesTools: true,
  mediaInResults: true,
};

const before3: Partial<ModelTraits> = { schemaBesideTools: false, mixesTools: false, mediaInResults: false };
const since3: Partial<ModelTraits> = { dummySignature: "skip_thought_signature_validator" };

const families: readonly ModelFamily[] = [
  { match: /gemini-(1\.|2\.0)|gemini-2\.5-.*(image|tts)/, ...before3, thinking: "none" },
  { match: /gemini-2\.5-pro/, ...before3, thinking: "budget", leastBudget: 128 },
  { match: /gemini-2\.5/, ...before3, thinking: "budget" },
  { match: /gemini-3-pro/, ...since3, levels: ["low", "high"] },
  { match: /gemini-(\d+(\.\d+)?-pro|pro-latest)/, ...since3, levels: ["low", "medium", "high"] },
  { match: /gemini-(\d|flash-latest|flash-lite-latest)/, ...since3 },
  { match: /gemma/, ...before3, thinking: "none" },
];

/** Google's Gemini API, under `https://generativelanguage.googleapis.com/v1beta`. */
const plainDialect: GeminiDialect = {
  modelPath: "/models/{model}",
  schemas: "json-schema",
  callIds: true,
  showsServerTools: true,
  mcp: true,
  fileNames: false,
  fileSearch: true,
  budgets: { none: 0, minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576, xhigh: 24_576 },
  model: newest,
  families,
};

/** The dialect of Vertex AI, under `https://…aiplatform.googleapis.com/v1/projects/{project}/locations/{location}`. */
export const vertexDialect: Partial<GeminiDialect> = {
  modelPath: "/publishers/google/models/{model}",
  showsServerTools: false,
  mcp: false,
  fileNames: true,
  fileSearch: false,
};

/** A whole dialect from what one server does differently. */
export const fullDialect = (dialect: Partial<GeminiDialect> = {}): GeminiDialect => ({ ...plainDialect, ...dialect });

/** What a model takes. */
export function traitsOf(model: string | null | undefined, { model: base, families }: GeminiDialect): ModelTraits {
  const family = families.find(({ match }) => match.test(model ?? ""));
  return family ? { ...base, ...family } : base;
}
