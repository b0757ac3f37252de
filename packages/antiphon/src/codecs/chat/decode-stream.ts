import { AntiphonError } from "../../core/error.ts";
import type { Repair } from "../../core/loss.ts";
import { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { LogProb, ResponseEvent, ResponseResource } from "../../model/index.ts";
import type { Ctx, Decoder, FoundFrames } from "../codec.ts";
import { AlikeEvents } from "../shared/alike.ts";
import { alikeChunks } from "./alike-chunks.ts";
import { ContentFilters } from "./content-filters.ts";
import { CallReader } from "./decode-calls.ts";
import { errorIn } from "./decode-error.ts";
import { MediaReader } from "./decode-media.ts";
import { ReasoningReader } from "./decode-reasoning.ts";
import { decodeUsage, usageIn } from "./decode-usage.ts";
import type { ChatDialect } from "./dialect.ts";
import { endingOf } from "./endings.ts";
import { decodeAnnotation, Sources } from "./sources.ts";
import { TextFrames, type FoundTexts } from "./text-frames.ts";
import { ThinkTags } from "./think-tags.ts";
import { toolSet } from "./tools.ts";
import { Unseen } from "./unseen.ts";

const filled = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * Turns `chat.completion.chunk` objects into events. The answer ends with the stream, not with its `finish_reason`: usage, and
 * with some servers an error, come after that.
 */
export class StreamDecoder implements Decoder {
  readonly repairs: Repair[] = [];
  readonly #dialect: ChatDialect;
  readonly #field: "delta" | "message";
  readonly #writer: Writer;
  readonly #reasoning: ReasoningReader;
  readonly #calls: CallReader;
  readonly #media: MediaReader;
  readonly #sources: Sources;
  readonly #filters = new ContentFilters();
  readonly #tags: ThinkTags | undefined;
  readonly #blank = new Unseen();
  readonly #alike = new AlikeEvents(alikeChunks);
  readonly #texts = new TextFrames();
  #begun = false;
  #cited = false;
  #tier = "";
  #usage: JsonObject | undefined;
  #finish: string | undefined;
  #error: AntiphonError | undefined;
  /** The key of the item that was written last: the one that a limit cuts off. */
  #last = "";

  /** `field` is where a choice holds what is said: a plain answer is a chunk that tells all in its `message`. */
  constructor(ctx: Ctx, dialect: ChatDialect, field: "delta" | "message" = "delta") {
    this.#dialect = dialect;
    this.#field = field;
    this.#writer = new Writer(ctx);
    this.#reasoning = new ReasoningReader(ctx, this.#writer, dialect);
    this.#calls = new CallReader(ctx, this.#writer, toolSet(ctx.request, dialect), dialect.vendor);
    this.#media = new MediaReader(ctx, this.#writer);
    this.#sources = new Sources(ctx, this.#writer);
    this.#tags = dialect.thinkTags ? new ThinkTags() : undefined;
  }

  parse(text: string): unknown {
    return this.#alike.parse(text);
  }

  push(value: unknown): ResponseEvent[] {
    this.take(value);
    return this.drain();
  }

  take(value: unknown): void {
    if (isObject(value) && !this.#writer.finished) this.#read(value);
  }

  find(bytes: Uint8Array, view: DataView, at: number): FoundFrames | undefined {
    const found = this.#texts.find(bytes, view, at);
    return found && { end: found.end, take: () => this.#take(found) };
  }

  /** Takes texts as the wire has them; says whether it does. */
  #take({ pieces, tier }: FoundTexts): boolean {
    const isPlain = this.#begun && !this.#tags && !this.#writer.finished && (!filled(tier) || tier === this.#tier);
    if (!isPlain || !pieces.intact || !this.#blank.lets(pieces.first)) return false;
    this.#reasoning.end();
    this.#writer.texts(pieces);
    this.#last = "message";
    return true;
  }

  drain(): ResponseEvent[] {
    return this.#writer.drain();
  }

  end(isMarked = false): ResponseEvent[] {
    return this.#close(truncated, isMarked);
  }

  /** An answer that had come to its end is whole, whatever happened to the connection then. */
  fail(error: AntiphonError): ResponseEvent[] {
    return this.#close(() => error);
  }

  #read(chunk: JsonObject): void {
    const { choices } = chunk;
    this.#readHead(chunk);
    this.#usage = usageIn(chunk) ?? this.#usage;
    if (chunk["prompt_filter_results"]) this.#filters.readPrompt(chunk["prompt_filter_results"]);
    if (Array.isArray(choices) && choices.length > 0) {
      if (!this.#begun) this.#begin();
      this.#sources.read(chunk);
      for (const choice of choices) if (isObject(choice)) this.#readChoice(choice);
    }
    // The usage may stand in the same chunk, or in the one after it.
    this.#error ??= errorIn(chunk);
  }

  #begin(): void {
    this.#begun = true;
    this.#writer.start();
  }

  /** Fields that every chunk repeats; some servers know their id and model only from the second one on. */
  #readHead({ id, model, created, service_tier }: JsonObject): void {
    if (filled(service_tier) && service_tier !== this.#tier) {
      this.#tier = service_tier;
      this.#writer.response({ service_tier });
    }
    if (this.#begun) return;
    const fields: Partial<ResponseResource> = {};
    if (filled(id)) fields.id = id.startsWith("resp_") ? id : `resp_${id}`;
    if (filled(model)) fields.model = model;
    if (typeof created === "number" && created > 0) fields.created_at = Math.floor(created);
    this.#writer.response(fields);
  }

  #readChoice(choice: JsonObject): void {
    const index = typeof choice["index"] === "number" ? choice["index"] : 0;
    if (index !== 0 && !this.#dialect.mergeChoices) return;
    const { [this.#field]: delta, finish_reason, content_filter_results } = choice;
    if (content_filter_results) this.#filters.readAnswer(content_filter_results);
    if (isObject(delta)) this.#readDelta(delta, index, choice["logprobs"]);
    if (filled(finish_reason)) this.#finish = finish_reason;
    this.#error ??= errorIn(choice);
  }

  #readDelta(delta: JsonObject, choice: number, logprobs: unknown): void {
    this.#reasoning.read(delta);
    const { content, refusal, tool_calls, function_call } = delta;
    if (typeof content === "string") this.#readText(content, logprobs);
    else if (Array.isArray(content)) for (const part of content) this.#readPart(part);
    // Cloudflare sends typed output as the object itself.
    else if (isObject(content)) this.#say(JSON.stringify(content));
    if (filled(refusal)) this.#refuse(refusal);
    if (Array.isArray(tool_calls) && tool_calls.length > 0) this.#call(tool_calls, choice);
    if (isObject(function_call) && (function_call["name"] || function_call["arguments"]))
      this.#call([{ index: 0, function: function_call }], choice);
    if (Array.isArray(delta["annotations"])) this.#annotate(delta["annotations"]);
    const spoken = this.#media.read(delta);
    if (spoken) this.#say(spoken);
  }

  #readText(text: string, logprobs?: unknown): void {
    if (!this.#tags) return this.#say(text, logprobsIn(logprobs));
    for (const piece of this.#tags.push(text)) this.#tell(piece);
  }

  #tell({ thought, text }: { thought: boolean; text: string }): void {
    if (thought) this.#reasoning.say(text);
    else this.#say(text);
  }

  /** A part of content that is a list: text, or thinking as Mistral writes it. */
  #readPart(part: unknown): void {
    if (!isObject(part)) return;
    if (filled(part["text"])) this.#say(part["text"]);
    const { thinking } = part;
    if (filled(thinking)) this.#reasoning.say(thinking);
    if (Array.isArray(thinking))
      for (const thought of thinking) if (isObject(thought) && filled(thought["text"])) this.#reasoning.say(thought["text"]);
  }

  #say(text: string, logprobs?: LogProb[]): void {
    const seen = this.#blank.push(text);
    if (!seen && !logprobs) return;
    this.#reasoning.end();
    this.#writer.text(seen, undefined, logprobs);
    this.#last = "message";
  }

  #refuse(refusal: string): void {
    this.#reasoning.end();
    this.#writer.refusal(refusal);
    this.#last = "message";
  }

  #call(deltas: readonly unknown[], choice: number): void {
    this.#reasoning.end();
    const answer = this.#calls.read(deltas, choice);
    if (answer) this.#say(answer);
    else this.#last = this.#calls.last ?? this.#last;
  }

  #annotate(annotations: readonly unknown[]): void {
    if (annotations.length > 0) this.#reasoning.end();
    for (const raw of annotations) {
      const annotation = decodeAnnotation(raw);
      if (annotation) this.#writer.annotate(annotation);
      this.#cited = true;
    }
  }

  /** `broken` tells what went wrong where the answer has no end: most have one, and an error is dear to make. */
  #close(broken: () => AntiphonError, isMarked = false): ResponseEvent[] {
    if (this.#writer.finished) return this.drain();
    this.#settle();
    const ending = this.#error ?? this.#ending(isMarked) ?? broken();
    if (ending instanceof AntiphonError) this.#writer.fail(ending);
    else {
      if (ending.status === "completed") this.#calls.complete();
      else for (const key of ["message", ...this.#calls.keys]) if (key !== this.#last) this.#writer.close(key);
      this.#writer.finish(ending);
    }
    return this.drain();
  }

  #ending(isMarked: boolean): ReturnType<typeof endingOf>["ending"] | undefined {
    const reason = this.#finish ?? this.#assumedFinish(isMarked);
    if (reason === undefined) return undefined;
    const { ending, known } = endingOf(reason);
    if (!known) this.repairs.push({ rule: "finish-reason-unknown", count: 1 });
    return ending;
  }

  /**
   * The finish reason of an answer that has none. A plain answer is complete as it is. A stream is complete if the
   * server sent the usage and the end mark: the mark alone may come from a proxy whose upstream broke off.
   */
  #assumedFinish(isMarked: boolean): string | undefined {
    if (this.#field === "message") return "stop";
    if (!isMarked || this.#usage === undefined) return undefined;
    this.repairs.push({ rule: "finish-reason-missing", count: 1 });
    return "stop";
  }

  /** Says what was held back, and tells the response what only the end knows. */
  #settle(): void {
    for (const piece of this.#tags?.end() ?? []) this.#tell(piece);
    if (this.#calls.keys.length === 0) this.#sayBlank();
    this.#reasoning.end();
    this.#calls.end();
    this.#media.end();
    this.#sources.end(this.#cited);
    if (this.#usage) this.#writer.response({ usage: decodeUsage(this.#usage) });
    const content_filters = this.#filters.found;
    // A field of Azure's own, passed on under the name that its Responses have for it.
    if (content_filters) this.#writer.response({ content_filters } as Partial<ResponseResource>);
  }

  #sayBlank(): void {
    const blank = this.#blank.end();
    if (!blank) return;
    this.#reasoning.end();
    this.#writer.text(blank);
    this.#last = "message";
  }
}

const truncated = (): AntiphonError => new AntiphonError("TRUNCATED", "The stream ended before the response was complete.");

function logprobsIn(logprobs: unknown): LogProb[] | undefined {
  const list = isObject(logprobs) ? logprobs["content"] : undefined;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  // Each entry has a token and its probability on every server; what else it holds is passed on.
  return list.filter(isObject) as unknown as LogProb[];
}
