import type { Respond } from "../core/respond.ts";
import { provider } from "../providers/registry.ts";
import { connect, type ConnectOptions } from "../transport/connect.ts";
import type { Upstream } from "../transport/upstream.ts";

/** A model: by a model string, as a provider or upstream, or as the function itself. */
export type ModelChoice = string | Upstream | Respond;

/** A model that can be asked, and what is known about it. */
export interface ResolvedModel {
  respond: Respond;
  /** The provider's name; unknown where only a function was given. */
  provider?: string;
  /** The base URL, where there is a server. */
  endpoint?: string;
  /** The model that is asked where a request names none. */
  model?: string;
  /** Whether the server keeps responses, so that they can be chained to. */
  stores: boolean;
  /** What a model string or a provider stands for. */
  upstream?: Upstream;
}

/** Makes a model of a choice. No key is looked for: the first request does that. */
export function resolveModel(choice: ModelChoice, options: ConnectOptions = {}): ResolvedModel {
  if (typeof choice === "function") return { respond: choice, stores: false };
  const upstream: Upstream = typeof choice === "string" ? provider(choice) : choice;
  return {
    respond: connect(upstream, options),
    provider: upstream.name,
    ...("baseUrl" in upstream ? { endpoint: upstream.baseUrl } : {}),
    ...(upstream.model === undefined ? {} : { model: upstream.model }),
    stores: "preset" in upstream && isStoring(upstream.preset),
    upstream,
  };
}

const isStoring = (preset: unknown): boolean =>
  typeof preset === "object" && preset !== null && "stores" in preset && preset.stores === true;
