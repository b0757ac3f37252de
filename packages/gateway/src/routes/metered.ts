import type { Usage } from "antiphon";
import type { Context } from "../context.ts";
import { publicError } from "../http/faces.ts";
import type { Admission } from "../keys/gatekeeper.ts";
import type { ModelRoute } from "../models/models.ts";
import type { RunFacts } from "../telemetry/telemetry.ts";

/** What is asked of a model that makes no response, and by whom. */
interface Question {
  id: string;
  route: Pick<ModelRoute, "name" | "model" | "provider" | "cost">;
  admission: Admission;
  owner: string;
  requestId: string;
}

/** Asks, and tells what it took: the key that pays for it, and those who watch. */
export async function metered<T extends { usage: Usage }>(
  { telemetry }: Context,
  { id, route, admission, owner, requestId }: Question,
  ask: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const tell = (end: Pick<RunFacts, "status" | "error" | "usage">): void => {
    const cost = end.usage ? route.cost(end.usage) : undefined;
    admission.settle({ usage: end.usage, cost });
    const { name: model, provider, model: upstreamModel } = route;
    const milliseconds = performance.now() - started;
    const about = { id, model, provider, upstreamModel, streamed: false, background: false, owner, requestId };
    telemetry.run({ ...about, ...end, cost, firstOutput: undefined, milliseconds });
  };
  try {
    const answer = await ask();
    tell({ status: "completed", error: undefined, usage: answer.usage });
    return answer;
  } catch (thrown) {
    const { code } = publicError(thrown);
    tell({ status: code === "ABORTED" ? "cancelled" : "refused", error: code, usage: undefined });
    throw thrown;
  }
}
