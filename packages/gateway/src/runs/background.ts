import type { ResponseEvent, ResponseResource, StopSignal } from "antiphon";
import type { Job } from "./job.ts";

/** Runs that go on without their client. */
export interface Background {
  /** Keeps a job and puts it into the queue; gives the response as it stands then. */
  submit(job: Job): Promise<ResponseResource>;
  /** Stops a run, here or in another gateway, and gives what stands then; `undefined` where there is no such response. */
  cancel(id: string, owner: string): Promise<ResponseResource | undefined>;
  /**
   * All events of a run from the first on, as they come, wherever it runs; `undefined` where it has no log. Now and then a batch is
   * empty. Ends without the last event when the signal fires, and throws where the response is deleted meanwhile.
   */
  follow(id: string, owner: string, signal?: StopSignal): Promise<AsyncIterableIterator<ResponseEvent[]> | undefined>;
  /** Takes no more runs; puts back what has shown nothing yet, and waits for the others until the signal fires. */
  close(signal: AbortSignal): Promise<void>;
}
