import { AntiphonError } from "../../core/error.ts";
import type { RawPieces } from "../../core/raw-pieces.ts";
import { estimateUsage } from "../../core/usage.ts";
import { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, ResponseResource, Usage } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { openBlock, type BlockReader } from "./block-readers.ts";
import { toAnnotation } from "./citations.ts";
import type { MessagesDialect } from "./dialect.ts";
import { extra, isBlock, objectIn, stringIn, withExtra, type Block } from "./extension.ts";
import { ServerTools } from "./server-tools.ts";
import { finishOf } from "./stop-reasons.ts";
import { answerTool } from "./typed-output.ts";
import { toolNames } from "./tool-names.ts";
import { fromWireTier, fromWireUsage, laterUsage } from "./usage.ts";
import type { ToolNames } from "../shared/tool-names.ts";

const declined = "The provider's safety system stopped the response.";

/** The container that the caller asked for by its id. */
function containerIn(request: CreateResponse): string {
  const tool = request.tools?.find(({ type }) => type === "code_interpreter");
  return stringIn(extra(request, "container")) ?? stringIn(tool && Reflect.get(tool, "container")) ?? "";
}

/** What the end of a message tells beside its content. */
interface Ending {
  stop_reason?: string;
  stop_sequence?: string;
  stop_details?: JsonObject;
  context_management?: JsonObject;
}

/**
 * An answer being read: blocks go in, as a stream brings them or as a plain reply holds them, and a writer tells them in the
 * common vocabulary.
 */
export class Answer {
  readonly ctx: Ctx;
  readonly dialect: MessagesDialect;
  readonly writer: Writer;
  readonly names: ToolNames;
  /** The tool that stands in for typed output, if the request made one. */
  readonly answerTool: string | undefined;
  /** Whether the caller asked for a summary of the thinking: then that is what the wire's text is. */
  readonly summarised: boolean;
  readonly #serverTools: ServerTools;
  readonly #askedContainer: string;
  readonly #readers = new Map<unknown, BlockReader>();
  #begun = false;
  #id: string | undefined;
  // The item of the newest block stays open until the next one begins: only the end of the message tells whether it was cut off.
  #tail: string | undefined;
  #textLength = 0;
  #usage: JsonObject | undefined;
  #container: JsonObject | undefined;
  #ending: Ending = {};

  constructor(ctx: Ctx, dialect: MessagesDialect) {
    this.ctx = ctx;
    this.dialect = dialect;
    this.writer = new Writer(ctx);
    this.names = toolNames(ctx.request);
    this.answerTool = answerTool(ctx.request, dialect)?.name;
    this.summarised = Boolean(ctx.request.reasoning?.summary);
    this.#serverTools = new ServerTools(this);
    this.#askedContainer = containerIn(ctx.request);
  }

  /** Starts the response. Some servers put the whole message into this one value. */
  begin(message: JsonObject): void {
    const id = stringIn(message["id"]);
    if (this.#begun) return this.#beginAgain(id);
    this.#begun = true;
    this.#id = id;
    const model = stringIn(message["model"]);
    const fields: Partial<ResponseResource> = {};
    if (id) fields.id = id.startsWith("resp_") ? id : `resp_${id}`;
    if (model) fields.model = model;
    this.writer.response(fields);
    this.writer.start();
    this.usage(message["usage"]);
    this.update(message);
    if (Array.isArray(message["content"])) message["content"].forEach((block, index) => this.whole(index, block));
  }

  /**
   * Handles a second `message_start`. Some proxies repeat the first one. Others lose their upstream, ask again and append
   * the new message to the old one, so what came before was cut off.
   */
  #beginAgain(id: string | undefined): void {
    if (id === undefined || id === this.#id) return;
    this.fail(new AntiphonError("TRUNCATED", "The server started another message before the first one ended."));
  }

  /** A whole block at once. */
  whole(index: unknown, block: unknown): void {
    this.open(index, block);
    this.stop(index);
  }

  open(index: unknown, block: unknown): void {
    if (!isBlock(block)) return;
    const continues = block.type === "text" && this.#tail === "message";
    if (!continues) this.settle();
    this.#readers.set(index, openBlock(this, block));
  }

  delta(index: unknown, delta: unknown): void {
    if (isObject(delta)) this.#readers.get(index)?.delta(delta);
  }

  /** Pieces of text of a block, as the wire has them; says whether it takes them so. */
  texts(index: unknown, pieces: RawPieces): boolean {
    const takes = !this.writer.finished && this.#readers.get(index)?.isText === true && pieces.intact;
    if (takes) {
      this.writer.texts(pieces);
      this.#said(pieces.text.length);
    }
    return takes;
  }

  stop(index: unknown): void {
    this.#readers.get(index)?.stop();
    this.#readers.delete(index);
  }

  /** What the end of the message tells, and what its beginning may have told already. */
  update(fields: JsonObject): void {
    const stop_reason = stringIn(fields["stop_reason"]);
    const stop_sequence = stringIn(fields["stop_sequence"]);
    if (stop_reason) this.#ending.stop_reason = stop_reason;
    if (stop_sequence !== undefined) this.#ending.stop_sequence = stop_sequence;
    if (isObject(fields["stop_details"])) this.#ending.stop_details = fields["stop_details"];
    if (isObject(fields["context_management"])) this.#ending.context_management = fields["context_management"];
    if (isObject(fields["container"])) this.#container = fields["container"];
  }

  usage(usage: unknown): void {
    this.#usage = laterUsage(this.#usage ?? {}, usage);
  }

  /** The container that code runs in, once the wire has told it; a caller that asked for one knows it from the start. */
  get containerId(): string {
    return stringIn(this.#container?.["id"]) ?? this.#askedContainer;
  }

  /** More text for the user. */
  say(text: string): void {
    if (!text) return;
    this.writer.text(text);
    this.#said(text.length);
  }

  #said(length: number): void {
    this.#tail = "message";
    this.#textLength += length;
  }

  /** How long the text of the open message is so far. */
  get textLength(): number {
    return this.#textLength;
  }

  /** The text since a position is backed by these citations. */
  cite(citations: readonly Block[], from: number): void {
    if (from === this.#textLength) return;
    for (const citation of citations) this.writer.annotate(toAnnotation(citation, from, this.#textLength));
  }

  /** The item of a block whose end only the next block, or the end of the message, tells. */
  leaveOpen(key: string): void {
    this.#tail = key;
  }

  /** The newest item is whole. */
  settle(): void {
    if (this.#tail !== undefined) this.writer.close(this.#tail);
    this.#tail = undefined;
    this.#textLength = 0;
  }

  /** A call of a tool that runs at the provider. */
  serverTool(block: Block): BlockReader {
    return this.#serverTools.open(block);
  }

  serverToolResult(block: Block): void {
    this.#serverTools.result(block);
  }

  /** Another model goes on with the answer. */
  handOver(model: string): void {
    this.writer.response({ model });
  }

  finish(): void {
    if (this.writer.finished) return;
    const { stop_reason = "end_turn", stop_sequence, stop_details } = this.#ending;
    this.#serverTools.settle();
    if (stop_reason === "refusal") this.writer.refusal(stringIn(stop_details?.["explanation"]) ?? declined);
    const usage = this.#usage && fromWireUsage(this.#usage);
    const tier = stringIn(this.#usage?.["service_tier"]);
    this.writer.response({
      ...(usage && { usage }),
      ...(tier && { service_tier: fromWireTier(tier) }),
      ...(stop_sequence !== undefined && { stop_sequence }),
      ...withExtra("message", this.#told()),
    });
    this.writer.finish(finishOf(stop_reason));
  }

  /** Everything that the wire told about the answer and that the vocabulary has no word for. */
  #told(): JsonObject {
    return { ...this.#ending, ...(this.#container && { container: this.#container }), usage: objectIn(this.#usage) };
  }

  fail(error: AntiphonError): void {
    if (this.writer.finished) return;
    this.#serverTools.settle();
    if (this.#usage) this.writer.response({ usage: this.#usageSoFar(this.#usage) });
    this.writer.fail(error);
  }

  // Until the end the wire has counted the input, but hardly any of the output.
  #usageSoFar(reported: JsonObject): Usage {
    const usage = fromWireUsage(reported);
    if (this.#ending.stop_reason) return usage;
    const guess = estimateUsage(this.ctx.request, this.writer.items);
    // Servers that only speak the wire may count nothing before the end.
    const input_tokens = usage.input_tokens || guess.input_tokens;
    const { output_tokens, output_tokens_details } = guess;
    const total_tokens = input_tokens + output_tokens;
    return { ...usage, input_tokens, output_tokens, output_tokens_details, total_tokens, estimated: true };
  }
}
