import type { CreateResponse, Price, Timeouts, Wire } from "antiphon";

/** Where models come from that nobody configured. */
export type Discovery = "environment" | "local";

/** Which models a gateway offers. Plain data: a part of the `[gateway]` table of a configuration file, where names may have underscores. */
export interface ModelsConfig {
  /**
   * What is offered beside `models`: providers whose keys are in the environment, and servers on this machine that answer.
   * Where nothing is said, both as long as no models are configured, and neither else.
   */
  discover?: boolean | readonly Discovery[];
  /** Who answers where a request names no model. */
  defaultModel?: string;
  /** How long to wait for models, in milliseconds. A model's own timeouts override these. */
  timeouts?: Timeouts;
  /** By the first part of a model string: `work` in `work:gpt-5.2`. */
  providers?: Readonly<Record<string, ProviderSettings>>;
  /** By the name that clients use, or a pattern of such names with one `*`. */
  models?: Readonly<Record<string, string | readonly (string | ModelChoice)[] | ModelSettings>>;
}

/** A provider: one that the library knows, or a server of one's own. */
export interface ProviderSettings {
  /** The known provider that it is like; the one of the same name where left out. */
  preset?: string;
  /** What a server of one's own speaks, instead of a preset. */
  wire?: Wire;
  baseUrl?: string;
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
  /** Added to every URL. */
  query?: Readonly<Record<string, string>>;
  /** Values for the preset's variables: `{ endpoint: "https://…" }`. */
  variables?: Readonly<Record<string, string>>;
  /** The model that is meant where none is named. */
  model?: string;
  embeddingModel?: string;
  /** Whether its streams are clean enough to be passed on unread; the library knows of some providers that they are. */
  relay?: boolean;
}

/** One of several models behind a name. */
export interface ModelChoice {
  model: string;
  /** Its share of the requests; choices without one are asked when those with one have failed. */
  weight?: number;
  price?: Price;
}

/** What a name stands for. */
export interface ModelSettings {
  /** A model string or another name here; a list is tried in order. Where left out, the name itself. */
  use?: string | readonly (string | ModelChoice)[];
  /** Request fields for requests that do not say otherwise. */
  params?: RequestParams;
  /** Request fields whatever the request says. */
  overrides?: RequestParams;
  /** In milliseconds; they override those of the gateway. */
  timeouts?: Timeouts;
  /** How many times a choice is asked again; 2 for the last one and none for those before it where nothing is said. */
  retries?: number;
  /** In dollars per million tokens. */
  price?: Price;
}

/** Request fields that are the gateway's own business. */
export type GatewayField =
  | "model"
  | "input"
  | "previous_response_id"
  | "conversation"
  | "store"
  | "background"
  | "stream"
  | "stream_options"
  | "metadata";

/** Fields of a request, in the spelling of the wire. */
export type RequestParams = Readonly<Omit<CreateResponse, GatewayField> & Record<string, unknown>>;
