import {
  AntiphonError,
  batchesOf,
  estimateUsage,
  isRun,
  isTerminal,
  isWire,
  outcome,
  type CreateResponse,
  type InputItem,
  type Loss,
  type Middleware,
  type Respond,
  type ResponseEvent,
  type ResponseResource,
  type TerminalEvent,
} from "antiphon";
import { setImmediate as nextTurn } from "node:timers/promises";
import { publicError } from "../http/faces.ts";
import { withSealedThoughts } from "../models/thoughts.ts";
import { isFinal } from "../store/texts.ts";
import type { RunFacts } from "../telemetry/telemetry.ts";
import type { Job } from "./job.ts";
import type { Live } from "./live.ts";
import { carriesResponse, presentBatch } from "./present.ts";
import type { RunContext } from "./run-context.ts";

/** How a run is kept. */
export interface Keeping {
  /** Keeps that it has begun, before anything is shown: what is shown can be asked for. The model is asked first. */
  begin?(): Promise<unknown>;
  /** Stands between the model and those who are shown its answer. */
  through?: Middleware;
  /** Keeps a batch and shows it then; the run waits for what it gives. Left out, a batch is shown at once. */
  show?(batch: ResponseEvent[]): Promise<void> | undefined;
  /** Keeps the end, and gives what is shown of it. */
  finish?(batch: ResponseEvent[], last: TerminalEvent): Promise<ResponseEvent[]>;
  /** Takes back what was kept of a run that was thrown out of, or where it was shown already, says how it ended. */
  abandon?(thrown: unknown, shown: boolean): Promise<unknown>;
}

/**
 * Where no more run than these, the first words leave before what came with them is translated; where many do, or nothing is
 * translated, that would only be dearer.
 */
const few = 4;

/**
 * Asks the model and tells the readers. The response is kept before its last event is shown, so that whoever sees the end can go on
 * from it at once. What fails before the first event is thrown, to the readers too.
 */
export async function runJob(context: RunContext, job: Job, live: Live, keeping: Keeping): Promise<ResponseResource> {
  const { asked, presented, headers, relays } = job;
  const started = performance.now();
  let firstOutput: number | undefined;
  const course: Course = { ended: undefined, failure: undefined };
  const eager = !relays && context.live.size <= few;
  // What is kept event by event is told so.
  const runs = keeping.show === undefined;
  const batches = batchesOf(modelOf(context, job, keeping)(asked, { signal: live.signal, headers, eager, runs }));
  try {
    const asking = batches.next();
    let begun = keeping.begin?.();
    for (let next = await asking; !next.done; next = await batches.next()) {
      if (begun) await begun;
      begun = undefined;
      const batch = presentBatch(next.value, presented);
      if (firstOutput === undefined) noteLosses(context, job, live, batch);
      const isFirst = firstOutput === undefined && !batch.every(isPreliminary);
      if (isFirst) firstOutput = performance.now() - started;
      // A batch in which nothing was to be presented has no end, either.
      const carries = batch !== next.value;
      const last = carries ? batch.findLast(isTerminal) : undefined;
      if (last) {
        course.ended = last.response;
        live.push(keeping.finish ? await keeping.finish(batch, last) : batch);
      } else if (keeping.show) {
        const wait = keeping.show(batch);
        if (wait) await wait;
      } else live.push(batch, carries);
      if (isFirst && !last && eager) await nextTurn();
    }
    if (!live.ended) throw new AntiphonError("TRUNCATED", "The model's stream ended without a final event.");
    return live.response;
  } catch (thrown) {
    course.failure = thrown;
    await keeping.abandon?.(thrown, !live.isBlank).catch(() => {});
    live.end(publicError(thrown));
    throw thrown;
  } finally {
    await batches.return?.().catch(() => {});
    account(context, job, told(live, course, asked), { firstOutput, milliseconds: performance.now() - started });
  }
}

function modelOf({ telemetry }: RunContext, { route, relays, seals, stored, trace }: Job, { through }: Keeping): Respond {
  const asked = relays && route.relay ? route.relay.respond : route.respond;
  const plain = seals ? withSealedThoughts(asked) : asked;
  const respond =
    telemetry.model?.(plain, { id: stored.id, model: route.name, provider: route.provider, ...(trace && { trace }) }) ?? plain;
  return through ? through(respond) : respond;
}

const isPreliminary = (event: ResponseEvent): boolean =>
  carriesResponse(event) ? !isTerminal(event) : event.type.startsWith("antiphon:") && !isWire(event) && !isRun(event);

const maxLoggedLosses = 100;

/** Reports what the API of the model cannot express: to the log, and to those who answer the client. */
function noteLosses({ telemetry }: RunContext, job: Job, live: Live, batch: readonly ResponseEvent[]): void {
  const { stored, route, requestId } = job;
  for (const event of batch) {
    if (event.type !== "antiphon:loss") continue;
    // Only models and their middleware emit such events.
    const losses = event["losses"] as Loss[];
    for (const loss of losses) live.losses.push(loss);
    telemetry.log({
      level: "info",
      message: "fields not supported by the model's API",
      response: stored.id,
      model: route.name,
      request_id: requestId,
      losses: losses.slice(0, maxLoggedLosses).map(({ path, reason }) => `${path}: ${reason}`),
      ...(losses.length > maxLoggedLosses && { more_losses: losses.length - maxLoggedLosses }),
    });
  }
}

/** What the conversation of a response gains with it. */
export const gained = ({ stored }: Job, response: ResponseResource): InputItem[] | undefined =>
  stored.conversation === null || response.status === "failed" ? undefined : [...stored.input, ...response.output];

/** How a run went. */
interface Course {
  /** As the model ended it, whatever was kept of that. */
  ended: ResponseResource | undefined;
  failure: unknown;
}

/** How a run ended: as its readers were told, or where they were told nothing of it, as the model or what was thrown has it. */
function told(
  { response }: Live,
  { ended, failure }: Course,
  asked: CreateResponse,
): Pick<RunFacts, "status" | "error" | "usage" | "response"> {
  const last = isFinal(response.status) ? response : ended;
  if (!last) {
    const { code } = publicError(failure);
    // Who leaves before a plain answer is there has had the model read all the same.
    if (code === "ABORTED") return { status: "cancelled", error: code, usage: response.usage ?? estimateUsage(asked, []) };
    return { status: "refused", error: code, usage: response.usage };
  }
  const end = outcome(last);
  return {
    status: end?.state ?? last.status,
    error: end && "error" in end ? end.error.code : undefined,
    usage: last.usage,
    response: last,
  };
}

/** Tells what it took. */
function account(
  { telemetry }: RunContext,
  { admission, route, stored, asked, requestId }: Job,
  end: Pick<RunFacts, "status" | "error" | "usage" | "response">,
  times: Pick<RunFacts, "firstOutput" | "milliseconds">,
): void {
  const { usage } = end;
  const cost = usage ? route.cost(usage) : undefined;
  admission?.settle({ usage, cost });
  telemetry.run({
    id: stored.id,
    model: route.name,
    provider: route.provider,
    upstreamModel: route.model,
    ...end,
    cost,
    streamed: asked.stream === true,
    background: stored.background,
    ...times,
    owner: stored.owner,
    requestId,
    request: asked,
  });
}
