import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Usage } from "../../model/index.ts";
import { toUsage } from "../shared/usage.ts";

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** A usage report with numbers in it; early chunks of some streams report nothing but the kind of traffic. */
export const isUsage = (value: unknown): value is JsonObject =>
  isObject(value) && (typeof value["promptTokenCount"] === "number" || typeof value["totalTokenCount"] === "number");

/**
 * Token counts in the common shape. What the wire's own tools read is input beside the prompt, and thoughts are output beside
 * the answer; cached tokens are a part of the prompt.
 */
export const fromWireUsage = (usage: JsonObject): Usage =>
  toUsage({
    input: count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]),
    cached: count(usage["cachedContentTokenCount"]),
    output: count(usage["candidatesTokenCount"]) + count(usage["thoughtsTokenCount"]),
    reasoning: count(usage["thoughtsTokenCount"]),
    ...(typeof usage["totalTokenCount"] === "number" ? { total: usage["totalTokenCount"] } : {}),
  });

/** Token counts in the wire's shape. */
export function toWireUsage({ input_tokens, output_tokens, total_tokens, ...details }: Usage): JsonObject {
  const { cached_tokens } = details.input_tokens_details;
  const { reasoning_tokens } = details.output_tokens_details;
  return {
    promptTokenCount: input_tokens,
    ...(cached_tokens > 0 && { cachedContentTokenCount: cached_tokens }),
    candidatesTokenCount: Math.max(0, output_tokens - reasoning_tokens),
    ...(reasoning_tokens > 0 && { thoughtsTokenCount: reasoning_tokens }),
    totalTokenCount: total_tokens,
  };
}

// Two names for each tier that both sides have.
const tiers: readonly (readonly [wire: string, ours: string])[] = [
  ["standard", "default"],
  ["flex", "flex"],
  ["priority", "priority"],
];

/** The tier that an answer was served on. */
export const fromWireTier = (tier: string): string => tiers.find(([wire]) => wire === tier.toLowerCase())?.[1] ?? tier;

/** The tier to ask for, or nothing where the wire has no such tier. */
export const toWireTier = (tier: string): string | undefined => tiers.find(([, ours]) => ours === tier)?.[0];
