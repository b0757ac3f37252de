import { AntiphonError, type ResponseEvent, type ResponseResource } from "antiphon";
import { publicError } from "../http/faces.ts";
import type { Admission, Took } from "../keys/gatekeeper.ts";
import type { ClaimedRun } from "../store/store.ts";
import { conclude, interrupted } from "./conclude.ts";
import { continued } from "./continued.ts";
import { insist } from "./insist.ts";
import { resumeJob, type Job } from "./job.ts";
import { Journal, runLost } from "./journal.ts";
import { Live } from "./live.ts";
import { begin, LogFold, openingLength } from "./log-fold.ts";
import { readmission } from "./readmission.ts";
import { splitTicket } from "./request-ticket.ts";
import type { RunContext } from "./run-context.ts";
import { gained, runJob } from "./run-job.ts";

/** A run that took so many workers with it takes no more. */
const mostAttempts = 10;
/** The log of a run that is held in memory for its readers; whoever is further behind reads the store's. */
const liveBytes = 512 * 1024;

/** One run that this process has claimed, from there to its end. */
export class BackgroundRun {
  readonly #context: RunContext;
  readonly #claimed: ClaimedRun;
  readonly #journal: Journal;
  #isOurs = true;
  #isOver = false;
  /** Whether the end that stands is the one that the model gave here. */
  #isKept = false;
  readonly live: Live;
  /** Resolves when this process has nothing more to do with it; never rejects. */
  readonly done: Promise<void>;

  constructor(context: RunContext, claimed: ClaimedRun, pause: number) {
    const { store, worker, leases } = context;
    const { id, owner, response } = claimed.response;
    this.#context = context;
    this.#claimed = claimed;
    this.live = new Live({ id, owner, response, maxLogBytes: liveBytes, maxBacklogBytes: liveBytes });
    this.#journal = new Journal({
      store,
      id,
      owner,
      worker,
      pause,
      kept: (events) => this.live.push(events),
      lost: (reason) => (reason.code === "ABORTED" ? this.leave() : this.live.stop(reason)),
    });
    leases.hold(id, () => this.leave());
    this.done = this.#work().catch((thrown: unknown) =>
      this.#log("error", "cannot store the end of a run", { error: String(thrown) }),
    );
  }

  /** The run is over, or somebody else's: whatever it still says is not written. */
  leave(): void {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    const reason = runLost();
    this.#journal.close(reason);
    this.live.stop(reason);
    this.#letGo();
  }

  /** Puts the run back into the queue if nothing was heard of the model yet. */
  async park(): Promise<void> {
    const { store, worker } = this.#context;
    const { id, background, response } = this.#claimed.response;
    if (!this.#isOurs || !background || this.#journal.isUsed) return;
    this.leave();
    await store.updateResponse(id, { ...response, status: "queued" }, { worker });
    await store.requeueRun(id, worker);
  }

  /** Ends the run where it is, because the gateway closes. */
  async interrupt(): Promise<void> {
    if (this.#isOver) return;
    await this.#journal.seal(interrupted());
    if (!this.#isOurs) return;
    this.leave();
    await this.#breakOff();
  }

  async #work(): Promise<void> {
    const { response: stored, attempt } = this.#claimed;
    const log = new LogFold(this.#context, stored);
    try {
      if (attempt > 1) {
        this.#log("warn", "run resumed", { attempt });
        await log.read();
      }
      if (!stored.background || log.hasOutput || attempt > mostAttempts) await this.#breakOff();
      else if (await this.#begin(log.opening)) await this.#run();
      this.#isOver = true;
    } finally {
      this.#letGo();
    }
  }

  /** Says in the store that the model is at work; `false` where it is not to be. */
  async #begin(shown: readonly ResponseEvent[]): Promise<boolean> {
    const { store, worker, live } = this.#context;
    const { id, response } = this.#claimed.response;
    const begun: ResponseResource = { ...response, status: "in_progress" };
    const events = shown.length > 0 ? [] : begin(begun);
    const stands = await store.updateResponse(id, begun, { worker, events });
    if (stands !== begun || !this.#isOurs) return false;
    this.live.push([...shown, ...events]);
    live.set(id, this.live);
    return true;
  }

  async #run(): Promise<void> {
    const { store, leases } = this.#context;
    const { response: stored } = this.#claimed;
    const journal = this.#journal;
    const unwatch = store.watch(stored.id, () => leases.check());
    try {
      const job = await this.#job();
      await runJob(this.#context, job, this.live, {
        through: continued(openingLength),
        show: (batch) => journal.write(batch),
        finish: async (batch, { response }) => {
          const events = await journal.finish(batch, response, gained(job, response));
          this.#isKept = true;
          return events;
        },
      });
    } catch (thrown) {
      const reason = reasonOf(thrown);
      await this.#journal.seal(reason);
      if (this.#isOurs) await this.#end(reason);
    } finally {
      unwatch();
    }
  }

  async #job(): Promise<Job> {
    const { result: job } = await insist(() => resumeJob(this.#context, this.#claimed.response), this.live.signal);
    return { ...job, admission: job.admission && { settle: (took) => void this.#settle(job.admission!, took) } };
  }

  /** Counts what the run took, unless somebody else does because the run went on there. */
  async #settle(admission: Admission, took: Took): Promise<void> {
    const { id, owner } = this.#claimed.response;
    const isCounted = this.#isOurs || this.#isKept;
    const stands = isCounted ? undefined : await this.#context.store.getResponse(id, owner).catch(() => undefined);
    if (isCounted || stands?.response.status === "cancelled") admission.settle(took);
  }

  /** Ends what cannot go on, and counts what it took. */
  async #breakOff(): Promise<void> {
    const stands = await this.#end(interrupted());
    const { background, request } = this.#claimed.response;
    this.#log("warn", "run interrupted", {});
    if (!background || stands?.status !== "failed" || !stands.usage) return;
    const { ticket } = splitTicket(request);
    readmission(this.#context, ticket.key)?.settle({ usage: stands.usage, cost: this.#costOf(stands) });
  }

  #costOf({ usage, model }: ResponseResource): number | undefined {
    try {
      return usage ? this.#context.models.resolve(model).cost(usage) : undefined;
    } catch {
      // The model is no longer offered, so nobody knows its price.
      return undefined;
    }
  }

  async #end(reason: AntiphonError): Promise<ResponseResource | undefined> {
    const { worker } = this.#context;
    const ended = await insist(() => conclude(this.#context, this.#claimed.response, reason, worker), this.live.signal);
    return ended.result;
  }

  /** Readers go on with the log. */
  #letGo(): void {
    const { leases, live } = this.#context;
    const { id } = this.#claimed.response;
    leases.release(id);
    if (live.get(id) === this.live) live.delete(id);
    this.live.end();
  }

  #log(level: "warn" | "error", message: string, fields: Record<string, unknown>): void {
    this.#context.telemetry.log({ level, message, response: this.#claimed.response.id, ...fields });
  }
}

/** Why a run failed; a stop that nobody asked for is a failure like any other. */
function reasonOf(thrown: unknown): AntiphonError {
  const error = publicError(thrown);
  return error.code === "ABORTED" ? new AntiphonError("SERVER_ERROR", error.message, { cause: error }) : error;
}
