import type { CreateResponse } from "../model/index.ts";
import type { TokenCounter } from "./item-tokens.ts";
import type { Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { readableHead } from "./ownership.ts";

/** How long a conversation is, in tokens. */
export interface Measure {
  /** As the provider reported it with its last response. */
  measured: number;
  /** What came after that response, or all of it where none was reported. */
  estimated: number;
}

/**
 * Measures what the next request will hold. It walks back to the last response that was reported and no further, so a turn costs
 * what is new.
 */
export function measure(log: Log, request: CreateResponse, target: Target, counter: TokenCounter): Measure {
  const head = readableHead(log.compacted, target);
  // What a response reported of a conversation that has been compacted since tells nothing of the one that is sent now.
  const oldest = head || !log.compacted ? log.barrier : log.entries.length;
  let estimated = 0;
  for (let at = log.entries.length - 1; at >= (head?.to ?? 0); at -= 1) {
    const { item, origin } = log.entries[at]!;
    if (at >= oldest && origin?.tokens !== undefined) return { measured: origin.tokens, estimated };
    estimated += counter.item(item);
  }
  const stands = counter.items(head?.items ?? []) + counter.text(head?.summary ?? "");
  return { measured: 0, estimated: estimated + stands + counter.frame(request) };
}
