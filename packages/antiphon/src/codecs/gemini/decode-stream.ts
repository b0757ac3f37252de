import { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { LogProb, ResponseEvent, TopLogProb, WebSearchCall } from "../../model/index.ts";
import type { Ctx, Decoder } from "../codec.ts";
import { errorIn } from "./decode-error.ts";
import { PartReader } from "./decode-parts.ts";
import { traitsOf, type GeminiDialect } from "./dialect.ts";
import { endingOf, promptBlocked, reasonName, type Ending } from "./finish-reasons.ts";
import { Grounding } from "./grounding.ts";
import { toolSet } from "./tool-set.ts";
import { fromWireTier, fromWireUsage, isUsage } from "./usage.ts";
import { objectsIn, stringIn, textIn } from "./wire.ts";

// Any of these makes a JSON value an answer, or a piece of one.
const answerFields: readonly string[] = ["candidates", "promptFeedback", "usageMetadata", "responseId", "modelVersion"];
const searches: ReadonlySet<string> = new Set(["file_search", "google:urlContext", "google:googleMaps"]);

/**
 * Reads an answer, chunk by chunk: each is a whole answer object with the next parts. The wire has no end marker but the finish
 * reason on the last chunk, so the terminal event comes with `end()`; old models put one on every chunk.
 */
export class StreamDecoder implements Decoder {
  readonly #writer: Writer;
  readonly #parts: PartReader;
  readonly #grounding = new Grounding();
  readonly #ctx: Ctx;
  readonly #repairs = new Map<string, number>();
  readonly #pages = new Set<string>();
  #begun = false;
  #usage: JsonObject | undefined;
  #reason: string | undefined;
  #message: string | undefined;
  #blocked = false;
  #hasCandidates = false;

  constructor(ctx: Ctx, dialect: GeminiDialect) {
    this.#ctx = ctx;
    this.#writer = new Writer(ctx);
    const grounded = (ctx.request.tools ?? []).some(({ type }) => type.startsWith("web_search") || searches.has(type));
    this.#parts = new PartReader(ctx, this.#writer, toolSet(ctx.request, traitsOf(ctx.request.model, dialect)), grounded);
  }

  get repairs(): Repair[] {
    return [...this.#repairs].map(([rule, count]) => ({ rule, count }));
  }

  /** Whether anything came that is an answer. */
  get begun(): boolean {
    return this.#begun;
  }

  push(value: unknown): ResponseEvent[] {
    // Servers that were not asked for events send a list.
    for (const chunk of Array.isArray(value) ? value : [value]) this.#chunk(chunk);
    return this.#writer.drain();
  }

  end(): ResponseEvent[] {
    if (this.#reason === undefined && !this.#blocked)
      return this.fail(new AntiphonError("TRUNCATED", "The stream ended before its finish reason."));
    this.#finish(this.#ending());
    return this.#writer.drain();
  }

  /** Ends an answer that came in one piece: being whole, it needs no finish reason to be complete. */
  endWhole(): ResponseEvent[] {
    if (this.#reason === undefined && this.#writer.hasOutput) this.#reason = "STOP";
    return this.end();
  }

  fail(error: AntiphonError): ResponseEvent[] {
    if (!this.#writer.finished) this.#break(error);
    return this.#writer.drain();
  }

  #repair(rule: string, count = 1): void {
    this.#repairs.set(rule, (this.#repairs.get(rule) ?? 0) + count);
  }

  #chunk(chunk: unknown): void {
    if (this.#writer.finished) return this.#repair("after-terminal");
    if (!isObject(chunk)) return this.#repair("not-a-chunk");
    const error = errorIn(chunk);
    // Without the vendor's own word the response tells ours, which can be read back.
    if (error) return this.#break(error.with({ vendorCode: undefined }));
    if (chunk["candidates"] === undefined && !answerFields.some((field) => chunk[field] !== undefined))
      return this.#repair("not-a-chunk");
    if (!this.#begun) this.#begin(chunk);
    if (isUsage(chunk["usageMetadata"])) this.#usage = chunk["usageMetadata"];
    const candidates = objectsIn(chunk["candidates"]);
    const first = candidates.find(({ index }) => index === undefined || index === 0);
    if (candidates.length > (first ? 1 : 0)) this.#repair("candidate-ignored");
    if (first) this.#candidate(first);
    else if (isObject(chunk["promptFeedback"])) this.#feedback(chunk["promptFeedback"]);
  }

  #begin(chunk: JsonObject): void {
    this.#begun = true;
    const id = textIn(chunk["responseId"]);
    const model = textIn(chunk["modelVersion"]);
    const created = Date.parse(stringIn(chunk["createTime"]) ?? "");
    this.#writer.response({
      ...(id !== undefined && { id: id.startsWith("resp_") ? id : `resp_${id}` }),
      ...(model !== undefined && { model }),
      ...(!Number.isNaN(created) && { created_at: Math.floor(created / 1000) }),
    });
    this.#writer.start();
  }

  /** Without an answer beside it, any feedback on the prompt is that it was blocked. */
  #feedback(feedback: JsonObject): void {
    if (feedback["blockReason"] !== undefined || (!this.#hasCandidates && textIn(feedback["blockReasonMessage"]) !== undefined))
      this.#blocked = true;
  }

  #candidate(candidate: JsonObject): void {
    this.#hasCandidates = true;
    if (isObject(candidate["urlContextMetadata"]))
      for (const page of objectsIn(candidate["urlContextMetadata"]["urlMetadata"])) this.#page(page);
    this.#grounding.read(candidate);
    this.#parts.keepsMessages ||= this.#grounding.begun;
    const content = candidate["content"];
    const parts = isObject(content) ? objectsIn(content["parts"]) : [];
    const logprobs = isObject(candidate["logprobsResult"]) ? logprobsOf(candidate["logprobsResult"]) : undefined;
    const last = logprobs ? parts.findLastIndex(({ text, thought }) => typeof text === "string" && thought !== true) : -1;
    parts.forEach((part, index) => this.#parts.read(part, index === last ? logprobs : undefined));
    const reason = reasonName(candidate["finishReason"]);
    // A reason holds until more content comes without one: tools that the server calls have one of their own.
    if (reason !== undefined || parts.length > 0) {
      this.#reason = reason;
      this.#message = textIn(candidate["finishMessage"]);
    }
  }

  /** A page that the model opened by itself. */
  #page({ retrievedUrl, urlRetrievalStatus }: JsonObject): void {
    const url = textIn(retrievedUrl) ?? null;
    const key = JSON.stringify([url, urlRetrievalStatus]);
    if (url !== null && this.#pages.has(key)) return;
    this.#pages.add(key);
    const status = urlRetrievalStatus === "URL_RETRIEVAL_STATUS_SUCCESS" ? "completed" : "failed";
    const item: WebSearchCall = {
      type: "web_search_call",
      id: this.#ctx.newId("ws"),
      status,
      action: { type: "open_page", url },
    };
    this.#writer.item(item);
  }

  #break(error: AntiphonError): void {
    this.#parts.settle();
    this.#parts.endPassed();
    this.#report();
    this.#writer.fail(error);
  }

  #ending(): Ending {
    if (this.#reason === undefined) return promptBlocked;
    return endingOf(this.#reason, this.#message, this.#parts.hasCalls);
  }

  #finish(ending: Ending): void {
    if (this.#writer.finished) return;
    this.#parts.settle();
    const { open, before } = this.#parts.text;
    const { found, missed } = this.#grounding.annotations(open, before);
    if (open) for (const annotation of found) this.#writer.annotate(annotation, "message");
    this.#parts.endPassed();
    const lost = open ? missed : missed + found.length;
    if (lost > 0) this.#repair("citation-without-text", lost);
    for (const item of this.#grounding.items((prefix) => this.#ctx.newId(prefix)))
      if (item.type !== "web_search_call" || !this.#parts.hasSearch) this.#writer.item(item);
    this.#report();
    if (ending instanceof AntiphonError) this.#writer.fail(ending);
    else this.#writer.finish(ending);
  }

  #report(): void {
    if (!this.#usage) return;
    const tier = textIn(this.#usage["serviceTier"]);
    this.#writer.response({
      usage: fromWireUsage(this.#usage),
      ...(tier !== undefined && { service_tier: fromWireTier(tier) }),
    });
  }
}

function logprobsOf(result: JsonObject): LogProb[] {
  const tops = objectsIn(result["topCandidates"]);
  return objectsIn(result["chosenCandidates"]).map((chosen, index) => ({
    ...logprobOf(chosen),
    top_logprobs: objectsIn(tops[index]?.["candidates"]).map(logprobOf),
  }));
}

const logprobOf = ({ token, logProbability }: JsonObject): TopLogProb => ({
  token: stringIn(token) ?? "",
  logprob: typeof logProbability === "number" ? logProbability : 0,
});
