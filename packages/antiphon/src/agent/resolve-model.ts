import type { Respond } from "../core/respond.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import { provider } from "../providers/registry.ts";
import { connect, type ConnectOptions } from "../transport/connect.ts";
import type { Upstream } from "../transport/upstream.ts";
import type { SocketRespond } from "../transport/websocket-connect.ts";

/** A model: by a model string, as a provider or upstream, or as the function itself, such as `connectSocket` makes. */
export type ModelChoice = string | Upstream | Respond | SocketRespond;

/** A model that can be asked, and what is known about it. */
export interface ResolvedModel {
  respond: Respond;
  /** The provider's name; unknown where only a function was given. */
  provider?: string;
  /** The base URL, where there is a server. */
  endpoint?: string;
  /** The model that is asked where a request names none. */
  model?: string;
  /** The wire that its server speaks, where that is known. */
  wire?: string;
  /** Whether the server keeps responses, so that they can be chained to. */
  stores: boolean;
  /** What a model string or a provider stands for. */
  upstream?: Upstream;
  /** Whether its connection still has a response that it may not have stored. */
  holds?(response_id: string): boolean;
}

/** Makes a model of a choice. No key is looked for: the first request does that. */
export function resolveModel(choice: ModelChoice, options: ConnectOptions = {}): ResolvedModel {
  if (typeof choice === "function") {
    if (!("holds" in choice)) return { respond: choice, stores: false };
    return { ...factsOf(choice.upstream), respond: choice, holds: (id) => choice.holds(id) };
  }
  const upstream = isUpstream(choice) ? choice : provider(choice);
  return { ...factsOf(upstream), respond: connect(upstream, options) };
}

// What is neither, such as a variable that is not set, is left to `provider`, which says so.
const isUpstream = (choice: string | Upstream): choice is Upstream => isObject(choice) && "name" in choice;

function factsOf(upstream: Upstream): Omit<ResolvedModel, "respond"> {
  const { wire, stores } = presetOf(upstream);
  return {
    provider: upstream.name,
    ...("baseUrl" in upstream ? { endpoint: upstream.baseUrl } : {}),
    ...(upstream.model === undefined ? {} : { model: upstream.model }),
    ...(typeof wire === "string" ? { wire } : {}),
    stores: stores === true,
    upstream,
  };
}

const presetOf = (upstream: Upstream): JsonObject => ("preset" in upstream && isObject(upstream.preset) ? upstream.preset : {});
