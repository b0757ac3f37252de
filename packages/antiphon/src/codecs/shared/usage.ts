import type { Usage } from "../../model/index.ts";

/** Token counts as wires give them; what is left out is zero. */
export interface Counts {
  /** All input, cached and cache-writing tokens included. */
  input?: number;
  cached?: number;
  cacheWrite?: number;
  /** All output, reasoning included. */
  output?: number;
  reasoning?: number;
  total?: number;
}

/** Counts in the common shape. */
export function toUsage({ input = 0, cached = 0, cacheWrite = 0, output = 0, reasoning = 0, total }: Counts): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: total ?? input + output,
    input_tokens_details: cacheWrite > 0 ? { cached_tokens: cached, cache_write_tokens: cacheWrite } : { cached_tokens: cached },
    output_tokens_details: { reasoning_tokens: reasoning },
  };
}
