import type { Compacted, Origin, Target } from "./log-records.ts";

/** Whether the target itself made something. */
export const isOwn = (origin: Pick<Origin, "provider" | "endpoint">, target: Target): boolean =>
  origin.provider === target.provider && origin.endpoint === target.endpoint;

/** What stands in for a conversation's head, as far as the target can read it; `refused` says that it takes no blobs. */
export function readableHead(compacted: Compacted | undefined, target: Target, refused = false): Compacted | undefined {
  if (!compacted?.items || !compacted.origin || (isOwn(compacted.origin, target) && !refused)) return compacted;
  const { to, summary } = compacted;
  return summary === undefined ? undefined : { to, summary };
}
