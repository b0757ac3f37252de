import type { Context } from "../context.ts";

/** What runs need of all that is shared. */
export type RunContext = Pick<
  Context,
  "store" | "models" | "limits" | "gatekeeper" | "telemetry" | "live" | "worker" | "leases" | "newId" | "now"
>;
