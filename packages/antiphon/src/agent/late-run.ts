import { LateBatches } from "../core/late-batches.ts";
import type { ResponseEvent } from "../model/index.ts";
import type { AgentRun, RunTask } from "./agent-run.ts";
import type { Reply } from "./reply.ts";

/** A run of an agent, the code of which is loaded when it begins: whoever only asks models does without. */
export class LateRun<Output> {
  readonly #task: RunTask;
  #run: AgentRun<Output> | undefined;

  constructor(task: RunTask) {
    this.#task = task;
  }

  /** Asks, and tells what happens. */
  open(signal: AbortSignal): AsyncIterableIterator<ResponseEvent[]> {
    return new LateBatches(async () => (await this.#make()).open(signal));
  }

  /** What came of it; throws where that is a failure. */
  async reply(events: Iterable<ResponseEvent>): Promise<Reply<Output>> {
    return (await this.#make()).reply(events);
  }

  /** The value inside the object that the model was asked to write. */
  readonly unwrap = (value: unknown): unknown => (this.#run ? this.#run.unwrap(value) : value);

  async #make(): Promise<AgentRun<Output>> {
    const { AgentRun } = await import("./agent-run.ts");
    return (this.#run ??= new AgentRun(this.#task));
  }
}
