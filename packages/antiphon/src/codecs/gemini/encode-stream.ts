import { errorOf } from "../../core/classify-error.ts";
import type { Machine } from "../../core/machine.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type {
  Annotation,
  CodeInterpreterCall,
  CreateResponse,
  CustomToolCall,
  EventOf,
  FileSearchCall,
  FunctionCall,
  ImageGenerationCall,
  Item,
  KnownEventType,
  LogProb,
  McpCall,
  Message,
  Reasoning,
  ResponseEvent,
  ResponseResource,
  TopLogProb,
  WebSearchCall,
} from "../../model/index.ts";
import { parseDataUrl } from "../shared/media.ts";
import { encodeError } from "./encode-error.ts";
import { GroundingWriter } from "./encode-grounding.ts";
import { mcpParts } from "./encode-turn.ts";
import type { MediaItem, PartItem } from "./extension.ts";
import { finishReasonOf } from "./finish-reasons.ts";
import { mediaPart } from "./media.ts";
import { foreignSignature, unsealSignature } from "./signatures.ts";
import { toWireUsage } from "./usage.ts";
import { objectIn, parsed, type Part } from "./wire.ts";

type Arm<K extends KnownEventType> = (encoder: ChunkEncoder, event: EventOf<K>) => Part[] | JsonObject;
type Arms = { [K in KnownEventType]?: Arm<K> };

/**
 * Tells a response as the wire does: chunks that are whole answer objects with the next parts, calls in one piece, what ended the
 * answer and what it cost on the last one.
 */
export class ChunkEncoder implements Machine<ResponseEvent, unknown> {
  readonly #showsMcp: boolean;
  #fields: JsonObject = {};
  readonly #grounding = new GroundingWriter();
  /** A signature that waits for the part after it. */
  #pending: string | undefined;
  #hasLogprobs = false;
  /** Log probabilities that only the finished message told. */
  #lateLogprobs: LogProb[] = [];

  constructor({ tools }: CreateResponse) {
    // A client that asked for no MCP servers would take their calls for its own functions'.
    this.#showsMcp = (tools ?? []).some(({ type }) => type === "mcp");
  }

  push(event: ResponseEvent): unknown[] {
    // The table pairs each event with its own arm, which is more than the type system can follow.
    const arm = ChunkEncoder.#arms[event.type as KnownEventType] as Arm<KnownEventType> | undefined;
    const told = arm?.(this, event as EventOf<KnownEventType>);
    if (!told) return [];
    if (!Array.isArray(told)) return [told];
    return told.length > 0 ? [this.#chunk({ content: { parts: told, role: "model" } })] : [];
  }

  end(): unknown[] {
    return [];
  }

  static readonly #arms: Arms = {
    "response.created": (encoder, { response }) => encoder.#begin(response),
    "response.reasoning_summary_part.added": (_, { summary_index }) => (summary_index > 0 ? [thought("\n\n")] : []),
    "response.reasoning_summary_text.delta": (_, { delta }) => [thought(delta)],
    "response.reasoning.delta": (_, { delta }) => [thought(delta)],
    "response.output_text.delta": (encoder, { output_index, delta, logprobs }) => {
      const parts = encoder.#text(output_index, delta);
      return logprobs?.length ? encoder.#chunk({ content: { parts, role: "model" }, ...encoder.#logprobs(logprobs) }) : parts;
    },
    "response.refusal.delta": (encoder, { output_index, delta }) => encoder.#text(output_index, delta),
    "response.output_text.annotation.added": (encoder, { output_index, annotation }) =>
      encoder.#annotate(output_index, annotation),
    "response.output_item.done": (encoder, { item }) => encoder.#item(item),
    "response.completed": (encoder, { response }) => encoder.#finish(response),
    "response.incomplete": (encoder, { response }) => encoder.#finish(response),
    "response.failed": (_, { response }) => objectIn(encodeError(errorOf(response)).body),
  };

  #chunk(candidate: JsonObject, more: JsonObject = {}): JsonObject {
    return { candidates: [{ ...candidate, index: 0 }], ...more, ...this.#fields };
  }

  #begin({ id, model }: ResponseResource): Part[] {
    this.#fields = { modelVersion: model, responseId: id.replace(/^resp_/, "") };
    return [];
  }

  /** A part with the signature that waits for it. */
  #signed(part: Part): Part {
    const signature = this.#pending;
    this.#pending = undefined;
    return signature === undefined ? part : { ...part, thoughtSignature: signature };
  }

  #text(output_index: number, delta: string): Part[] {
    this.#grounding.text(output_index, delta);
    return [this.#signed({ text: delta })];
  }

  /** Citations come with the last chunk; an empty mark, here as in Google's streams, tells early that they will. */
  #annotate(output_index: number, annotation: Annotation): Part[] | JsonObject {
    const isFirst = !this.#grounding.isCited;
    this.#grounding.annotate(output_index, annotation);
    if (!isFirst || !this.#grounding.isCited) return [];
    return this.#chunk({ content: { parts: [{ text: "" }], role: "model" }, groundingMetadata: {} });
  }

  #logprobs(logprobs: readonly LogProb[]): JsonObject {
    this.#hasLogprobs = true;
    const told = ({ token, logprob }: TopLogProb): JsonObject => ({ token, logProbability: logprob });
    return {
      logprobsResult: {
        chosenCandidates: logprobs.map(told),
        topCandidates: logprobs.map(({ top_logprobs = [] }) => ({ candidates: top_logprobs.map(told) })),
      },
    };
  }

  #message({ content }: Message): Part[] {
    if (!this.#hasLogprobs)
      this.#lateLogprobs.push(...content.flatMap((part) => (part.type === "output_text" ? (part.logprobs ?? []) : [])));
    return [];
  }

  #item(item: Item): Part[] | JsonObject {
    const encode = own(ChunkEncoder.#items, item.type);
    return encode ? encode(this, item) : [];
  }

  // Each encoder is looked up by the type of the item that it takes.
  static readonly #items: Readonly<Record<string, (encoder: ChunkEncoder, item: Item) => Part[] | JsonObject>> = {
    message: (encoder, item) => encoder.#message(item as Message),
    reasoning: (encoder, item) => encoder.#reasoning(item as Reasoning),
    function_call: (encoder, item) => encoder.#call(item as FunctionCall, parsed((item as FunctionCall).arguments || "{}")),
    custom_tool_call: (encoder, item) => encoder.#call(item as CustomToolCall, { input: (item as CustomToolCall).input }),
    code_interpreter_call: (encoder, item) => encoder.#code(item as CodeInterpreterCall),
    image_generation_call: (encoder, item) => encoder.#picture(item as ImageGenerationCall),
    mcp_call: (encoder, item) => encoder.#mcp(item as McpCall),
    file_search_call: (encoder, item) => {
      encoder.#grounding.files((item as FileSearchCall).queries, (item as FileSearchCall).results ?? []);
      return [];
    },
    web_search_call: (encoder, item) => encoder.#search(item as WebSearchCall),
    "google:media": (encoder, item) => {
      const { mime_type, data, uri, thought: draft } = item as MediaItem;
      return [encoder.#signed({ ...mediaPart(mime_type, data, uri), ...(draft && { thought: true }) })];
    },
    "google:part": (encoder, item) => [...encoder.#flush(), objectIn((item as PartItem).part)],
  };

  /** The signature that waits, in a part of its own. */
  #flush(): Part[] {
    return this.#pending === undefined ? [] : [this.#signed({ text: "" })];
  }

  #reasoning(item: Reasoning): Part[] {
    const signature = unsealSignature(item.encrypted_content);
    if (!signature) return this.#wait(foreignSignature(item));
    const { kind, data } = signature;
    if (kind === "tool") return [...this.#flush(), objectIn(parsed(data))];
    if (data === "") return [];
    if (kind === "thought") return [...this.#flush(), { text: "", thought: true, thoughtSignature: data }];
    if (kind === "part" || kind === "result") return [...this.#flush(), { text: "", thoughtSignature: data }];
    return this.#wait(data);
  }

  #wait(signature: string): Part[] {
    const before = this.#flush();
    this.#pending = signature;
    return before;
  }

  #call({ call_id, name }: FunctionCall | CustomToolCall, args: unknown): Part[] {
    const known = args === null || args === undefined ? {} : { arguments: args };
    return [this.#signed({ functionCall: { id: call_id, name, args: isObject(args) ? args : known } })];
  }

  #mcp(item: McpCall): Part[] {
    const [call, answer] = mcpParts(item, (json) => objectIn(parsed(json)));
    if (!this.#showsMcp) return [];
    return answer ? [this.#signed(call), answer] : [this.#signed(call)];
  }

  /** A page that was opened is told at once; searches are told in the end. */
  #search(item: WebSearchCall): Part[] | JsonObject {
    if (item.action?.type !== "open_page") {
      this.#grounding.search(item);
      return [];
    }
    const outcome = item.status === "failed" ? "ERROR" : "SUCCESS";
    const page = { retrievedUrl: item.action.url ?? undefined, urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${outcome}` };
    return this.#chunk({ content: { parts: [{ text: "" }], role: "model" }, urlContextMetadata: { urlMetadata: [page] } });
  }

  #code({ id, code, outputs, status }: CodeInterpreterCall): Part[] {
    const wireId = id.replace(/^ci_/, "");
    const parts: Part[] = [this.#signed({ executableCode: { id: wireId, language: "PYTHON", code: code ?? "" } })];
    if (!outputs) return parts;
    const output = outputs.map((one) => (one.type === "logs" ? one.logs : "")).join("");
    const outcome = status === "failed" ? "OUTCOME_FAILED" : "OUTCOME_OK";
    parts.push({ codeExecutionResult: { id: wireId, outcome, ...(output && { output }) } });
    const pictures = outputs.flatMap((one) => (one.type === "image" ? [parseDataUrl(one.url)] : []));
    for (const data of pictures) if (data) parts.push(mediaPart(data.mediaType, data.data, undefined));
    return parts;
  }

  #picture({ result, output_format = "png" }: ImageGenerationCall): Part[] {
    return result ? [this.#signed(mediaPart(`image/${output_format}`, result, undefined))] : [];
  }

  /** The last chunk. Clients want a part in every content, if only an empty one. */
  #finish(response: ResponseResource): JsonObject {
    const parts = this.#flush();
    const candidate = {
      content: { parts: parts.length > 0 ? parts : [{ text: "" }], role: "model" },
      finishReason: finishReasonOf(response),
      ...this.#grounding.fields(),
      ...(this.#lateLogprobs.length > 0 && this.#logprobs(this.#lateLogprobs)),
    };
    return this.#chunk(candidate, response.usage ? { usageMetadata: toWireUsage(response.usage) } : {});
  }
}

const thought = (text: string): Part => ({ text, thought: true });
