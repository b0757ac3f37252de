import { AntiphonError, type ResponseEvent } from "antiphon";
import { isFinal } from "../store/texts.ts";
import type { Background } from "./background.ts";
import { BackgroundRun } from "./background-run.ts";
import { cancelled, conclude } from "./conclude.ts";
import { followLog, followRun, type LogPlace } from "./follow.ts";
import { waiting } from "./log-fold.ts";
import type { RunContext } from "./run-context.ts";
import { RunQueue } from "./run-queue.ts";

/** How runs are looked after, in milliseconds. */
export interface RunOptions {
  /** How long other gateways leave a run alone whose gateway is not heard of; 15,000 where nothing is said. */
  lease?: number | undefined;
  /** How often to look for runs that nobody works on, more or less; 1,000 where nothing is said. */
  poll?: number | undefined;
  /** The least time between two writes to the log of a run; 50 where nothing is said. */
  pause?: number | undefined;
}

/** Milliseconds between two looks for runs, and between two writes to the log of one. */
export const defaultPauses = { poll: 1_000, pause: 50 };

/** Runs responses in the background, those of other gateways on the same store included when these are gone. */
export function backgroundRuns(
  context: RunContext,
  { poll = defaultPauses.poll, pause = defaultPauses.pause }: RunOptions = {},
): Background {
  const { store } = context;
  const queue = new RunQueue(context, (claimed) => new BackgroundRun(context, claimed, pause), poll);
  return {
    submit: async ({ stored }) => {
      await store.createResponse(stored, "queued");
      queue.wake();
      return stored.response;
    },
    cancel: async (id, owner) => {
      const stored = await store.getResponse(id, owner);
      if (!stored) return undefined;
      if (!stored.background) throw notInBackground();
      if (isFinal(stored.response.status)) return stored.response;
      const stands = await conclude(context, stored, cancelled());
      if (stands && !isFinal(stands.status)) throw tooBusy();
      queue.running.get(id)?.leave();
      return stands;
    },
    follow: async (id, owner, signal) => {
      const place = { store, id, owner, signal };
      const live = queue.running.get(id)?.live;
      if (live?.owner === owner && live.isWhole && !live.isBlank && !live.ended) return followRun(live, place);
      const stored = await store.getResponse(id, owner);
      if (!stored?.background) return undefined;
      const [first] = await store.readEvents(id, owner, -1, 1);
      if (first) return followLog(place, -1);
      return isFinal(stored.response.status) ? undefined : followQueued(waiting(stored.response), place);
    },
    close: (signal) => queue.close(signal),
  };
}

/** What waits is told so; its log is not begun yet. */
async function* followQueued(first: ResponseEvent[], place: LogPlace): AsyncGenerator<ResponseEvent[]> {
  yield first;
  yield* followLog(place, first.length - 1);
}

const notInBackground = (): AntiphonError =>
  new AntiphonError("BAD_REQUEST", "Only background responses can be cancelled.", { param: "response_id" });

const tooBusy = (): AntiphonError =>
  new AntiphonError("SERVER_OVERLOADED", "The response changed while it was cancelled. Try again.");
