import { chainTooLong } from "./failures.ts";
import type { Turn } from "./store.ts";
import { turnFrom } from "./texts.ts";

/** One link of a chain; the items are there if the chain was followed to its beginning. */
export interface Link {
  id: string;
  previous: string | null;
  status: string;
  depth: number;
  bytes: number;
  input: string | null;
  output: string | null;
}

/** How a statement names the values that it is given. */
interface Names {
  id: string;
  owner: string;
  turns: string;
  bytes: string;
}

/**
 * Follows a chain by ids and lengths alone, and reads the items only if it has a beginning and may be read as a whole. The bound on
 * its length also ends a chain that bites its own tail. The values are needed in the order id, owner, owner, turns, bytes, bytes.
 */
export const chainQuery = (responses: string, { id, owner, turns, bytes }: Names): string => `
  WITH RECURSIVE
    chain (id, previous, depth, bytes) AS (
      SELECT id, previous, 1, CAST(octet_length(input) AS bigint) + octet_length(output)
      FROM ${responses} WHERE id = ${id} AND owner = ${owner}
      UNION ALL
      SELECT r.id, r.previous, c.depth + 1, c.bytes + octet_length(r.input) + octet_length(r.output)
      FROM chain c JOIN ${responses} r ON r.id = c.previous AND r.owner = ${owner}
      WHERE c.depth < ${turns} AND c.bytes <= ${bytes}
    ),
    whole (is_read) AS (SELECT count(*) > 0 FROM chain WHERE previous IS NULL AND bytes <= ${bytes})
  SELECT c.id, c.previous, r.status, c.depth, c.bytes,
    CASE WHEN whole.is_read THEN r.input END AS input, CASE WHEN whole.is_read THEN r.output END AS output
  FROM chain c JOIN ${responses} r ON r.id = c.id CROSS JOIN whole
  ORDER BY c.depth DESC`;

/** The turns that the links of a chain stand for, given from its beginning on. */
export function turnsFrom(links: readonly Link[], id: string, limits: { turns: number; bytes: number }): Turn[] | undefined {
  const oldest = links[0];
  if (!oldest) return undefined;
  if (oldest.bytes > limits.bytes || (oldest.previous !== null && oldest.depth >= limits.turns)) throw chainTooLong(id);
  if (oldest.previous !== null) return undefined;
  return links.map(({ id, status, input, output }) => turnFrom({ id, status, input: input ?? "[]", output: output ?? "[]" }));
}
