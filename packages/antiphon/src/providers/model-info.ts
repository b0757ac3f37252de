/** What a model is for. */
export type ModelKind = "chat" | "embeddings" | "image" | "audio" | "moderation" | "other";

/** A kind of content that goes in or comes out. */
export type Modality = "text" | "image" | "audio" | "video" | "file" | "embedding";

/** What is known about a model. A fact that nobody told is left out: absent is not the same as no. */
export interface ModelFacts {
  /** For people. */
  name?: string;
  /** Tokens that input and output may have together. */
  contextWindow?: number;
  /** Tokens that an answer may have, thinking included. */
  maxOutput?: number;
  input?: readonly Modality[];
  output?: readonly Modality[];
  /** Whether it thinks before it answers, and so takes `reasoning`. */
  reasoning?: boolean;
  /** Whether it takes `text.verbosity`. */
  verbosity?: boolean;
  /** Whether it calls functions. */
  tools?: boolean;
  /** Whether its answer can be bound by a JSON schema. */
  schema?: boolean;
  speed?: "slow" | "medium" | "fast";
  cost?: "low" | "medium" | "high";
}

/** A model of a provider. */
export interface ModelInfo extends ModelFacts {
  id: string;
  /** The name of a preset, or `any` for an open model that many servers have. */
  provider: string;
  kind: ModelKind;
  /** Seconds since 1970. */
  created?: number;
  /** Who made it, as the provider says. */
  owner?: string;
}
