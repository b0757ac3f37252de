import type { Admission } from "../keys/gatekeeper.ts";
import type { RunContext } from "./run-context.ts";

/** The leave that a key was given when its request came in, maybe by another process: what the run took still counts against it. */
export const readmission = ({ gatekeeper }: RunContext, key: string | undefined): Admission | undefined =>
  key === undefined ? undefined : { settle: (took) => gatekeeper.charge?.(key, took) };
