import { abortError, AntiphonError, toAntiphonError } from "../../core/error.ts";
import { EventRecord } from "../../core/event-record.ts";
import { unansweredCalls } from "../../core/pending.ts";
import { batchesOf, parsedCall, type CallOptions, type Respond } from "../../core/respond.ts";
import { abortSignal } from "../../core/stop.ts";
import { unlessAborted } from "../../core/unless-aborted.ts";
import { noUsage } from "../../core/usage.ts";
import type { CreateResponse, InputItem, Item, ResponseEvent, ResponseResource, ToolChoice } from "../../model/index.ts";
import { newId } from "../../transport/ids.ts";
import { Answering } from "./answering.ts";
import { pendingCall } from "./calls.ts";
import { hook } from "./failures.ts";
import { ofStep } from "./journal.ts";
import { endOf, MergedSteps } from "./merge-steps.ts";
import { answeredIds, checkDecisions, inputItems, leftOver, unsent } from "./run-items.ts";
import type { RunEventFields, RunEventType } from "./run-events.ts";
import type { Journal, PendingCall, RunOptions, Step } from "./run-options.ts";
import { gatherTools, type ToolSet } from "./tool-set.ts";

type Batch = IteratorResult<ResponseEvent[]>;
const over: Batch = { done: true, value: undefined };
/** Requests to the model, at most, where nothing is said. */
export const mostSteps = 20;

/** What `run` does: the batches of one run. */
export class RunLoop implements AsyncIterator<ResponseEvent[]> {
  readonly #respond: Respond;
  readonly #request: CreateResponse;
  readonly #options: RunOptions;
  readonly #call: CallOptions;
  readonly #newId: (prefix: string) => string;
  readonly #stream: MergedSteps;
  readonly #gather: ReturnType<typeof gatherTools>;
  #tools: ToolSet | undefined;
  /** What the next request holds: all items so far, or, where the provider keeps the conversation, those that it has not seen. */
  #items: InputItem[];
  readonly #steps: Step[] = [];
  #asked: CreateResponse;
  #upstream: AsyncIterator<ResponseEvent[]> | undefined;
  /** What came of the step under way, in case it breaks off: one that ends brings its response along. */
  #came = new EventRecord();
  #answering: Answering | undefined;
  /** What to do when the next batch is wanted. */
  #phase: () => Promise<ResponseEvent[]> = () => this.#begin();
  /** Whether tools answered just before the request under way. */
  #answered = false;
  #askedAgain = false;
  #over = false;

  constructor(respond: Respond, request: CreateResponse, options: RunOptions) {
    const { signal, headers, timeouts, retry } = options;
    this.#respond = respond;
    this.#request = this.#asked = request;
    this.#options = options;
    this.#call = parsedCall({ signal, headers, timeouts, retry });
    this.#newId = options.newId ?? newId;
    this.#stream = new MergedSteps(this.#newId("run"));
    this.#gather = gatherTools(request.tools ?? [], options.tools ?? []);
    this.#items = inputItems(request);
  }

  async next(): Promise<Batch> {
    while (!this.#over) {
      let events: ResponseEvent[];
      try {
        events = await this.#phase();
      } catch (thrown) {
        events = this.#broken(thrown);
      }
      if (events.length > 0) return { done: false, value: events };
    }
    return over;
  }

  async return(): Promise<Batch> {
    this.#close();
    this.#answering?.stop(abortError("The reader cancelled the stream."));
    await this.#upstream?.return?.();
    return over;
  }

  async #begin(): Promise<ResponseEvent[]> {
    checkDecisions(this.#items, this.#options.decisions);
    const calls = leftOver(this.#items, this.#options.decisions);
    if (calls.length === 0) return this.#ask();
    const { now = secondsNow } = this.#options;
    const events = this.#stream.start(this.#request, now());
    if (this.#request.conversation) this.#items = unsent(this.#items);
    this.#phase = () => this.#answer(calls);
    return events;
  }

  async #ask(): Promise<ResponseEvent[]> {
    const { signal } = this.#options;
    // The first request may fail for itself; a run that has begun is not begun again only to be stopped.
    if (signal?.aborted && this.#stream.started) throw abortError(signal.reason);
    this.#tools = await unlessAborted(this.#gather(abortSignal(signal)), signal);
    this.#asked = await this.#prepared(this.#tools);
    if (this.#over) return [];
    this.#stream.step();
    this.#came = new EventRecord();
    this.#upstream = batchesOf(this.#respond(this.#asked, this.#call));
    this.#phase = this.#read;
    return this.#read();
  }

  async #prepared({ definitions }: ToolSet): Promise<CreateResponse> {
    const request: CreateResponse = { ...this.#request, input: this.#items };
    if (definitions.length > 0) request.tools = [...definitions];
    if (this.#answered && request.tool_choice) request.tool_choice = eased(request.tool_choice);
    const { prepareStep, signal } = this.#options;
    if (!prepareStep) return request;
    const changed = hook("prepareStep", () => prepareStep(this.#steps, request));
    return { ...request, ...(await unlessAborted(changed, signal)) };
  }

  readonly #read = async (): Promise<ResponseEvent[]> => {
    const { done, value } = await this.#upstream!.next();
    if (this.#over) return [];
    if (done) throw new AntiphonError("TRUNCATED", "The model's stream ended before its response was complete.");
    this.#came.add(value);
    const events = this.#stream.take(value);
    return this.#stream.ended ? this.#stepEnded(events, this.#stream.ended) : events;
  };

  async #stepEnded(events: ResponseEvent[], response: ResponseResource): Promise<ResponseEvent[]> {
    // The answer is whole: how its stream closes changes nothing.
    await this.#upstream?.return?.().catch(() => {});
    this.#upstream = undefined;
    const told = [...events, this.#note("antiphon:step", { index: this.#steps.length, response })];
    const calls = response.status === "completed" ? unansweredCalls(response.output) : [];
    if (calls.length > 0) {
      this.#keep(response.output);
      this.#phase = () => this.#answer(calls.map(pendingCall), response);
      return told;
    }
    this.#steps.push({ response, outputs: [] });
    if (!this.#shouldAskAgain(response)) return told.concat(this.#finish({}));
    this.#askedAgain = true;
    this.#phase = () => this.#ask();
    return told;
  }

  #note<T extends RunEventType>(type: T, fields: RunEventFields[T]): ResponseEvent {
    return this.#stream.note(type, fields);
  }

  #keep(items: readonly InputItem[]): void {
    this.#items = this.#request.conversation ? [] : this.#items.concat(items);
  }

  /** Some models fall silent after tool results; asking once more helps. */
  #shouldAskAgain({ status, output }: ResponseResource): boolean {
    const silent = status === "completed" && this.#answered && output.every(saysNothing);
    return silent && !this.#askedAgain && !this.#request.conversation && this.#steps.length < this.#mostSteps;
  }

  get #mostSteps(): number {
    return this.#options.maxSteps ?? mostSteps;
  }

  /**
   * Starts to answer the calls of a step, or those of the input. Decisions are about calls of the input only: servers that
   * count the calls of each response anew give later calls the same ids.
   */
  async #answer(calls: readonly PendingCall[], response?: ResponseResource): Promise<ResponseEvent[]> {
    const { signal } = this.#options;
    this.#tools ??= await unlessAborted(this.#gather(abortSignal(signal)), signal);
    if (this.#over) return [];
    if (signal?.aborted) throw abortError(signal.reason);
    const decisions = response ? undefined : this.#options.decisions;
    const options = { ...this.#options, decisions, journal: this.#journal() };
    const answering = new Answering(calls, options, this.#tools, this.#stream, this.#newId);
    this.#answering = answering;
    signal?.addEventListener("abort", this.#onAbort);
    // A hook may have stopped the run already: it was asked while the answering was made.
    if (signal?.aborted) this.#onAbort();
    this.#phase = async () => {
      const events = await answering.next();
      if (answering.ended) this.#phase = () => this.#afterAnswers(answering, response);
      return events;
    };
    return this.#phase();
  }

  #journal(): ((nth: number) => Journal) | undefined {
    const { journal } = this.#options;
    if (!journal) return undefined;
    const answered = answeredIds([...inputItems(this.#request), ...this.#stream.output]);
    return (nth) => ofStep(journal, answered, nth);
  }

  readonly #onAbort = (): void => this.#answering?.stop(abortError(this.#options.signal?.reason));

  async #afterAnswers(answering: Answering, response?: ResponseResource): Promise<ResponseEvent[]> {
    const { signal, stopWhen } = this.#options;
    signal?.removeEventListener("abort", this.#onAbort);
    const { outputs, pending, failure } = answering;
    this.#items = this.#items.concat(outputs);
    if (response) this.#steps.push({ response, outputs });
    if (failure) throw failure;
    if (signal?.aborted) throw abortError(signal.reason);
    if (pending.length > 0) return [this.#note("antiphon:paused", { pending }), ...this.#finish(this.#paused())];
    const stops = response && stopWhen ? hook("stopWhen", () => stopWhen(this.#steps)) : false;
    if (await unlessAborted(stops, signal)) return this.#finish(this.#completed());
    // A limit that is no number is none that a run could keep to for ever.
    if (!(this.#steps.length < this.#mostSteps)) return this.#finish(outOfSteps);
    this.#answered = true;
    this.#askedAgain = false;
    this.#phase = () => this.#ask();
    return [];
  }

  /**
   * How a paused run ends. Its response is completed if the pending calls are part of it, as with any model. If they are
   * part of the input, nothing in the output shows them, so the response is incomplete.
   */
  #paused(): Partial<ResponseResource> {
    if (this.#steps.length > 0) return {};
    return { status: "incomplete", incomplete_details: { reason: "tool_calls" }, completed_at: null, usage: noUsage };
  }

  /** How a run ends between two steps: as its last step did, if there was one. */
  #completed(): Partial<ResponseResource> {
    const { now = secondsNow } = this.#options;
    return this.#steps.length > 0 ? {} : { status: "completed", completed_at: now(), usage: noUsage };
  }

  #finish(fields: Partial<ResponseResource>): ResponseEvent[] {
    this.#close();
    return [this.#stream.finish(fields)];
  }

  /** What is told of a failure; before the first event it is thrown. */
  #broken(thrown: unknown): ResponseEvent[] {
    const error = toAntiphonError(thrown, "CONNECTION_ERROR");
    if (this.#over) return [];
    const rest = this.#upstream && this.#stream.broken(this.#came.fold(), this.#asked, error);
    this.#close();
    if (!this.#stream.started) throw error;
    const response = this.#stream.ended;
    if (!rest || !response) return [this.#stream.finish(endOf(error))];
    return [...rest, this.#note("antiphon:step", { index: this.#steps.length, response }), this.#stream.finish({})];
  }

  #close(): void {
    this.#over = true;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }
}

const secondsNow = (): number => Math.floor(Date.now() / 1000);

const outOfSteps: Partial<ResponseResource> = {
  status: "incomplete",
  incomplete_details: { reason: "max_steps" },
  completed_at: null,
};

/** A choice that forces a call is spent with the first step: forced again and again, the model would never end. */
function eased(choice: ToolChoice): ToolChoice {
  if (typeof choice === "object" && choice.type === "allowed_tools")
    return choice.mode === "required" ? { ...choice, mode: "auto" } : choice;
  return choice === "required" || typeof choice === "object" ? "auto" : choice;
}

const saysNothing = (item: Item): boolean =>
  item.type === "reasoning" ||
  (item.type === "message" && item.content.every((part) => part.type === "output_text" && part.text.trim() === ""));
