import { AntiphonError } from "antiphon";
import type { Exchange } from "./exchange.ts";

/** Tells upstreams which gateway asks. A gateway that is its own upstream would ask itself without end. */
export const via = "antiphon-via";

/** Refuses what this gateway itself sent. */
export function refuseOwnCalls({ headers }: Exchange, worker: string): void {
  if (headers.get(via) === worker)
    throw new AntiphonError("BAD_REQUEST", "The gateway would call itself. Check the base URLs of its providers.", {
      status: 508,
    });
}
