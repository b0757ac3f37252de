import { usualBudget, type CompactNatively } from "../conversation/context-options.ts";
import type { Target } from "../conversation/log-records.ts";
import { modelInfo } from "../providers/catalogue.ts";
import type { Preset } from "../providers/preset.ts";
import { compactItems } from "../transport/compact.ts";
import type { ConnectOptions } from "../transport/connect.ts";
import type { Upstream } from "../transport/upstream.ts";
import type { ResolvedModel } from "./resolve-model.ts";

const blobs = "reasoning.encrypted_content";

// Only a provider has one; an upstream of the caller's own tells no more than where it is.
const presetOf = (upstream: Upstream | undefined): Preset | undefined =>
  upstream && "preset" in upstream ? (upstream.preset as Preset) : undefined;

/** What a conversation must know about a model. */
export function targetOf({ provider = "custom", endpoint = "", model = "", stores, upstream }: ResolvedModel): Target {
  const preset = presetOf(upstream);
  // A model that does not think refuses to be asked for its thoughts.
  const thinks = modelInfo(model)?.reasoning !== false;
  const encrypts = preset?.wire === "responses" && thinks && !preset.dialect?.dropsIncludes?.includes(blobs);
  const wire = preset?.wire ?? (upstream && "codec" in upstream ? upstream.codec.wire : undefined);
  const translates = wire !== undefined && wire !== "responses" && wire !== "local";
  const isUnknown = preset === undefined && thinks && !translates;
  return { provider, endpoint, model, stores, encrypts, ...(isUnknown && { known: false }), ...(translates && { translates }) };
}

/** The provider's own compaction, where it has one. */
export function nativeCompaction({ upstream }: ResolvedModel, connect: ConnectOptions = {}): CompactNatively | undefined {
  const preset = presetOf(upstream);
  if (!upstream || !("codec" in upstream) || preset?.wire !== "responses" || !preset.features?.includes("compact"))
    return undefined;
  const { transport, fetch, headers, timeouts, retry } = connect;
  const options = { transport, fetch, headers, timeouts, retry };
  return (request, _, signal) => compactItems(upstream, request, { ...options, signal });
}

// Room for the answer, and for what an estimate may be off by.
const shareForInput = 0.8;

/** The usual budget, or less where the model is known to have less room. */
export const budgetOf = (target: Target): number =>
  Math.min(usualBudget(target), Math.floor((modelInfo(target.model)?.contextWindow ?? Infinity) * shareForInput));
