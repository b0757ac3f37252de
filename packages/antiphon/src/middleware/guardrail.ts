import { expand } from "../core/expand.ts";
import { batchesOf, fromBatches, parsedCall, type CallOptions, type Middleware } from "../core/respond.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import { Writer } from "../core/writer.ts";
import type { CreateResponse, ExtensionEvent, Message, ResponseEvent, ResponseResource } from "../model/index.ts";
import { terminalIn } from "../core/seen-events.ts";
import { empty, following, over, Passage, type Batches } from "./passage.ts";

/** Words to refuse with, or nothing where all is well. What a check throws, the call throws. */
export type GuardVerdict = string | void;

/** What is checked on the way in and on the way out. */
export interface GuardrailOptions {
  /** Looks at a request before it is sent; one that is refused is never sent. */
  input?(request: CreateResponse, call: CallOptions): GuardVerdict | Promise<GuardVerdict>;
  /** Looks at a whole answer before anything of it is shown, so it comes at once instead of piece by piece. */
  output?(response: ResponseResource, request: CreateResponse, call: CallOptions): GuardVerdict | Promise<GuardVerdict>;
  newId?(prefix: string): string;
  now?(): number;
}

/**
 * Checks requests and answers. What is not let through becomes a refusal, as a model would write it, and an `antiphon:guarded` event
 * says on which side.
 *
 * @example
 * const respond = guardrail({ output: (response) => (/\d{16}/.test(text(response)) ? "I can't show card numbers." : undefined) })(model);
 */
export function guardrail(options: GuardrailOptions): Middleware {
  const { input, output, newId = randomId, now = () => Math.floor(Date.now() / 1_000) } = options;
  return (next) =>
    (request, call = {}) => {
      const open = async (): Promise<Batches> => {
        const words = await unlessAborted(input?.(request, call), call.signal);
        if (typeof words === "string") {
          const writer = new Writer({ request, newId, now });
          writer.refusal(words);
          writer.finish({ status: "completed" });
          return following([guarded("input", words), ...writer.drain()], empty);
        }
        if (!output) return batchesOf(next(request, call));
        return new Checked(batchesOf(next(request, parsedCall(call))), async (response) => {
          const reason = await output(response, request, call);
          return typeof reason === "string" ? [guarded("output", reason), ...refused(response, reason, newId("msg"))] : undefined;
        });
      };
      return fromBatches(() => new Passage({ open, ended: () => {} }));
    };
}

/** Holds an answer back until it was checked. */
class Checked implements Batches {
  readonly #inner: Batches;
  readonly #replace: (response: ResponseResource) => Promise<ResponseEvent[] | undefined>;

  constructor(inner: Batches, replace: (response: ResponseResource) => Promise<ResponseEvent[] | undefined>) {
    this.#inner = inner;
    this.#replace = replace;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    const held: ResponseEvent[] = [];
    for (;;) {
      const { done, value } = await this.#inner.next();
      if (done) return held.length > 0 ? { done: false, value: held } : over;
      held.push(...value);
      const terminal = terminalIn(value);
      if (terminal) return { done: false, value: (await this.#replace(terminal.response)) ?? held };
    }
  }

  return(): Promise<IteratorResult<ResponseEvent[]>> {
    return this.#inner.return?.() ?? Promise.resolve(over);
  }
}

/** The same response with a refusal in place of its output; what it cost, it cost. */
function refused(response: ResponseResource, words: string, id: string): ResponseEvent[] {
  const message: Message = {
    type: "message",
    id,
    status: "completed",
    role: "assistant",
    content: [{ type: "refusal", refusal: words }],
  };
  return expand({ ...response, status: "completed", incomplete_details: null, error: null, output: [message] });
}

const guarded = (side: "input" | "output", reason: string): ExtensionEvent => ({
  type: "antiphon:guarded",
  sequence_number: 0,
  side,
  reason,
});

const randomId = (prefix: string): string => `${prefix}_${globalThis.crypto.randomUUID().replaceAll("-", "")}`;
