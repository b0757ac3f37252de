import { AntiphonError } from "../core/error.ts";
import type { Loss } from "../core/loss.ts";
import { isAnswer } from "../core/pending.ts";
import { finishReason, refusal, text, thinking, type FinishReason } from "../core/views.ts";
import type { ResultFile } from "../hosted/result-file.ts";
import type { ToolProgress } from "../hosted/tool-event.ts";
import { isItem } from "../model/guards.ts";
import type { InputItem, Item, Reasoning, ResponseResource, Usage } from "../model/index.ts";
import { sendable } from "./loop/run-items.ts";
import type { PendingCall, Step } from "./loop/run-options.ts";

/** The method that `console.log` calls in Node, Deno and Bun. */
const inspectSymbol: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** What the typed reading of an answer came to; `absent` says why there is nothing to read. */
export type TypedOutput<Output> = { value: Output } | { absent: string };

/** What a reply is made of. */
export interface ReplyParts<Output> {
  response: ResponseResource;
  input: readonly InputItem[];
  items: readonly Item[];
  steps: readonly Step[];
  usage: Usage;
  cost?: number;
  metadata: ToolProgress;
  files: readonly ResultFile[];
  warnings: readonly Loss[];
  pending: readonly PendingCall[];
  /** Left out where no schema was given. */
  typed?: TypedOutput<Output>;
}

/** A reply as JSON: enough to show it, and to go on from it in another process. */
export interface ReplyJson {
  version: 1;
  input: readonly InputItem[];
  items: readonly Item[];
  text: string;
  output?: unknown;
  refusal?: string;
  thinking: string;
  finish: FinishReason;
  usage: Usage;
  cost?: number;
  metadata: ToolProgress;
  files: readonly Pick<ResultFile, "name" | "mimeType" | "source">[];
  warnings: readonly Loss[];
  pending: readonly PendingCall[];
  /** About the response as a whole, less what stands above. */
  response: Omit<ResponseResource, "output" | "usage">;
}

/** The result of a run: text, output, items, usage and how it ended. */
export class Reply<Output = unknown> {
  /** The response as a whole: its id, model, status and all that was said and done. */
  readonly response: ResponseResource;
  /** What the run was given. */
  readonly input: readonly InputItem[];
  /** What the run added, in order, with the results of tools; an answer that was asked for again is not in it. */
  readonly items: readonly Item[];
  /** The requests to the model that were answered, each with what its calls gave. */
  readonly steps: readonly Step[];
  /** Of all requests together, those of agents that ran as tools included. */
  readonly usage: Usage;
  /** In the currency of the price list; only where the price of everything is known. */
  readonly cost?: number;
  /** What tools at the provider did, by tool. */
  readonly metadata: ToolProgress;
  /** Pictures and files that the model made. */
  readonly files: readonly ResultFile[];
  /** What was asked for and left out or changed, because the model or its wire does not take it. */
  readonly warnings: readonly Loss[];
  /** Calls that wait to be answered: the run is paused, and `agent.resume` goes on with it. */
  readonly pending: readonly PendingCall[];
  readonly #typed: TypedOutput<Output> | undefined;

  constructor(parts: ReplyParts<Output>) {
    this.response = parts.response;
    this.input = parts.input;
    this.items = parts.items;
    this.steps = parts.steps;
    this.usage = parts.usage;
    if (parts.cost !== undefined) this.cost = parts.cost;
    this.metadata = parts.metadata;
    this.files = parts.files;
    this.warnings = parts.warnings;
    this.pending = parts.pending;
    this.#typed = parts.typed;
  }

  /** The answer: what the model wrote after it used its last tool; in a run that stopped at a call, what it wrote with that. */
  get text(): string {
    const written = this.items.slice(0, this.items.findLastIndex((item) => !isAnswer(item)) + 1);
    return text(written.slice(written.findLastIndex(isAnswer) + 1));
  }

  /** The answer in the form that was asked for. Throws where the run did not come to an answer: it is paused, or was stopped. */
  get output(): Output {
    const typed = this.#typed ?? { value: undefined };
    if ("absent" in typed) throw new AntiphonError("ABORTED", typed.absent);
    // Without a schema nothing is promised: `Output` is `unknown` then.
    return typed.value as Output;
  }

  /** Why it ended. */
  get finish(): FinishReason {
    return finishReason(this.response) ?? "error";
  }

  /** The model's words for declining, where it did. */
  get refusal(): string | undefined {
    return refusal(this.items);
  }

  /** What the model thought, in all steps. */
  get thinking(): string {
    return thinking(this.items);
  }

  /** The same with its parts: summaries, raw text and sealed blobs. */
  get thinking_details(): readonly Reasoning[] {
    return this.items.filter(isItem("reasoning"));
  }

  /** All that was said, ready to be sent again: `agent.send([...reply.history, user("Go on.")])`. */
  get history(): InputItem[] {
    return [...this.input, ...this.items.map(sendable)];
  }

  toJSON(): ReplyJson {
    const { input, items, text, refusal, thinking, finish, usage, cost, metadata, files, warnings, pending } = this;
    const { output: _, usage: __, ...response } = this.response;
    return {
      version: 1,
      input,
      items,
      text,
      thinking,
      finish,
      usage,
      metadata,
      warnings,
      pending,
      response,
      files: files.map(({ name, mimeType, source }) => ({ name, mimeType, source })),
      ...(this.#typed && "value" in this.#typed ? { output: this.#typed.value } : {}),
      ...(refusal === undefined ? {} : { refusal }),
      ...(cost === undefined ? {} : { cost }),
    };
  }

  /** Returns the summary that `console.log(reply)` prints. */
  [inspectSymbol](depth: number, options: object, inspect?: (value: unknown, options: object) => string): unknown {
    const { text, finish, refusal } = this;
    const { input_tokens, output_tokens, total_tokens } = this.usage;
    const summary = {
      text,
      finish,
      ...(refusal === undefined ? {} : { refusal }),
      usage: { input_tokens, output_tokens, total_tokens },
      pending: this.pending.map(({ name, call_id, written }) => ({ name, call_id, written })),
    };
    if (!inspect) return summary;
    return depth < 0 ? "[Reply]" : `Reply ${inspect(summary, options)}`;
  }
}
