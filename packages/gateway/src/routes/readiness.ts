import type { Context } from "../context.ts";
import { inTime } from "../telemetry/in-time.ts";

/** Whether a gateway can take requests; `checks` says of each part `ok` or what is wrong with it. */
export interface Readiness {
  status: "ready" | "not ready";
  checks: Record<"store" | "models" | "gateway", string>;
}

/** Milliseconds that each part may take to answer. */
export const readinessTimeout = 2_000;
/** For how long an answer holds: whoever asks all the time does not keep the store busy. */
const lasting = 1_000;
/** No response has it, and nobody owns it. */
const probe = "resp_readiness";

/** Gives the way to ask whether a gateway is ready. What is wrong in detail goes into the log: everybody may ask. */
export function readinessOf(context: Context): () => Promise<Readiness> {
  let asked = -Infinity;
  let parts: Promise<Parts> = Promise.resolve({ store: "ok", models: "ok" });
  return async () => {
    const now = performance.now();
    if (now - asked > lasting) {
      asked = now;
      parts = checkParts(context);
    }
    const checks = { ...(await parts), gateway: context.draining ? "closing" : "ok" };
    return { status: Object.values(checks).every((said) => said === "ok") ? "ready" : "not ready", checks };
  };
}

type Parts = Pick<Readiness["checks"], "store" | "models">;

async function checkParts(context: Context): Promise<Parts> {
  const failed = (part: string) => (error: unknown) =>
    context.telemetry.log({ level: "warn", message: "not ready", part, error });
  const [store, models] = await Promise.all([
    inTime(readinessTimeout, () => context.store.getResponse(probe, probe)).then(fine, failed("store")),
    inTime(readinessTimeout, () => offersModels(context)).then(fine, failed("models")),
  ]);
  return { store: store ?? "does not answer", models: models ?? "none available" };
}

const fine = (): "ok" => "ok";

async function offersModels({ models }: Context): Promise<void> {
  try {
    models.resolve(undefined);
  } catch (thrown) {
    // Without a default there may still be models that have to be named.
    if ((await models.list()).length === 0) throw thrown;
  }
}
