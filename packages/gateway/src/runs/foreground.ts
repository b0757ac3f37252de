import {
  AntiphonError,
  isTerminal,
  type ResponseEvent,
  type ResponseResource,
  type StopSignal,
  type TerminalEvent,
} from "antiphon";
import { responseJson, withJson, type ResponseJson } from "antiphon/codecs/responses";
import { publicError } from "../http/faces.ts";
import { conclude } from "./conclude.ts";
import type { Job } from "./job.ts";
import { Live } from "./live.ts";
import { framesOf, type Recent } from "./recent.ts";
import type { RunContext } from "./run-context.ts";
import { gained, runJob, type Keeping } from "./run-job.ts";

/** A run whose client waits for it. */
export interface Running {
  live: Live;
  /** The response at its end; rejects where it failed before the first event. */
  done: Promise<ResponseResource>;
}

/** Starts a run that ends when its client leaves. */
export function runForeground(context: RunContext & { recent: Recent }, job: Job, signal: StopSignal): Running {
  const { stored, keeps, asked } = job;
  const { limits } = context;
  const live = new Live({
    id: stored.id,
    owner: stored.owner,
    response: stored.response,
    maxLogBytes: keeps && asked.stream ? limits.maxBacklogBytes : 0,
    maxBacklogBytes: limits.maxBacklogBytes,
  });
  const leave = (): void => live.stop(new AntiphonError("ABORTED", "The client disconnected."));
  // Nobody reads on: the model need not go on either.
  if (signal.aborted) leave();
  else signal.addEventListener("abort", leave);
  context.live.set(live.id, live);
  const over = (): void => {
    signal.removeEventListener("abort", leave);
    // A client that is quick has all of it a turn later; the others are not waited for.
    if (asked.stream) setImmediate(ending, context, job, live);
    else ending(context, job, live);
  };
  const done = runJob(context, job, live, keepingOf(context, job, live));
  done.then(over, over);
  // Readers of the stream are told as well; without this, Node would take a failure for one that nobody looks at.
  done.catch(() => {});
  return { live, done };
}

/** Keeps a stream that is over for those who lost it: as it was told, and what was not told yet. */
function ending({ live: running, recent }: RunContext & { recent: Recent }, { keeps, asked }: Job, live: Live): void {
  running.delete(live.id);
  const isKept = keeps && asked.stream === true && live.isWhole && live.failure === undefined;
  if (isKept) recent.add(live.id, live.told, framesOf(live.log()));
  live.close();
}

/**
 * A plain answer is kept in one go when it is there: nobody knows its id before. A streamed one is kept from its first event on, and
 * under a lease, so that another gateway can tell when this one is gone.
 */
function keepingOf(context: RunContext, job: Job, live: Live): Keeping {
  const { store } = context;
  const { stored, keeps, asked } = job;
  const { owner, conversation } = stored;
  if (keeps && (asked.stream || conversation !== null)) return heldKeeping(context, job, live);
  if (keeps)
    return finishing(context, job, async (response) => {
      const json = responseJson(response);
      await store.createResponse({ ...stored, response }, undefined, json);
      return { stands: response, json };
    });
  if (conversation === null) return {};
  return finishing(context, job, async (response) => {
    const items = gained(job, response);
    if (items) await store.addItems(conversation, owner, items);
    return { stands: response };
  });
}

function heldKeeping(context: RunContext, job: Job, live: Live): Keeping {
  const { store, worker, leases } = context;
  const { stored } = job;
  const { id, owner } = stored;
  const lost = (): void => live.stop(new AntiphonError("ABORTED", "The response was cancelled or deleted by another request."));
  let begun: Promise<void> | undefined;
  return {
    begin() {
      begun = store.createResponse(stored, leases.holder).then(() => leases.hold(id, lost));
      // Whoever shows something waits for it, and is told then.
      begun.catch(() => {});
      return begun;
    },
    ...finishing(context, job, async (response) => {
      try {
        const items = gained(job, response);
        const json = responseJson(response);
        return { stands: await store.updateResponse(id, response, items ? { worker, json, items } : { worker, json }), json };
      } finally {
        // What could not be written ends when its lease does.
        leases.release(id);
      }
    }),
    abandon: async (thrown, shown) => {
      await begun;
      leases.release(id);
      if (shown) await conclude(context, stored, publicError(thrown), worker);
      else await store.deleteResponse(id, owner);
    },
  };
}

interface Kept {
  /** What stands now; `undefined` where the response is gone. */
  stands: ResponseResource | undefined;
  /** As it was kept, if it was made JSON for that. */
  json?: ResponseJson;
}

/** Keeps the end. */
type Keep = (response: ResponseResource) => Promise<Kept>;

/** The end as it is shown once it is kept; where it could not be kept, an end that says so. */
const finishing = ({ telemetry }: RunContext, { stored }: Job, keep: Keep): Pick<Keeping, "finish"> => ({
  finish: async (batch, { response }) => {
    try {
      const { stands, json } = await keep(response);
      // What was ended elsewhere stays so, whatever the model had to say in the end.
      if (stands && stands.status !== response.status) return withEnd(batch, stands);
      return json ? withJson(batch, response, json) : batch;
    } catch (thrown) {
      telemetry.log({ level: "error", message: "cannot store response", response: stored.id, error: String(thrown) });
      const error = { code: "server_error", message: "The response could not be stored." };
      return withEnd(batch, { ...response, status: "failed", incomplete_details: null, error });
    }
  },
});

const endings: Readonly<Record<string, TerminalEvent["type"]>> = { completed: "response.completed", failed: "response.failed" };

const withEnd = (batch: ResponseEvent[], response: ResponseResource): ResponseEvent[] =>
  batch.map((event) =>
    isTerminal(event)
      ? { type: endings[response.status] ?? "response.incomplete", sequence_number: event.sequence_number, response }
      : event,
  );
