import type { ResponseEvent, ResponseResource } from "../model/index.ts";
import type { Compacted, Origin, Target } from "./log-records.ts";

/** Returns which fallback answers, if these events report one: `1` is the first. */
export function fallbackIn(events: readonly ResponseEvent[]): number | undefined {
  const event = events.findLast(({ type }) => type === "antiphon:fallback");
  const to: unknown = event && Reflect.get(event, "to");
  return typeof to === "number" ? to : undefined;
}

/**
 * Returns the origin of a response's items. A fallback counts as another place than the target: the two cannot read what the
 * other encrypted, nor continue its responses.
 */
export function originOf(
  { id, model, created_at, usage }: ResponseResource,
  target: Target,
  { stored, fallback }: { stored: boolean; fallback: number | undefined },
): Origin {
  return {
    provider: target.provider,
    endpoint: fallback === undefined ? target.endpoint : `${target.endpoint}#fallback-${fallback}`,
    model: model || target.model,
    response_id: id,
    stored,
    created_at,
    ...(usage && !usage.estimated && { tokens: usage.total_tokens }),
  };
}

/** Whether the target itself made something. */
export const isOwn = (origin: Pick<Origin, "provider" | "endpoint">, target: Target): boolean =>
  origin.provider === target.provider && origin.endpoint === target.endpoint;

/** What stands in for a conversation's head, as far as the target can read it; `refused` says that it takes no blobs. */
export function readableHead(compacted: Compacted | undefined, target: Target, refused = false): Compacted | undefined {
  if (!compacted?.items || !compacted.origin || (isOwn(compacted.origin, target) && !refused)) return compacted;
  const { to, summary } = compacted;
  return summary === undefined ? undefined : { to, summary };
}
