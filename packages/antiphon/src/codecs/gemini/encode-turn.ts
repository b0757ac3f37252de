import type { Loss } from "../../core/loss.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { CodeInterpreterCall, HostedItem, ImageGenerationCall, McpCall, ReasoningParam } from "../../model/index.ts";
import { parseDataUrl } from "../shared/media.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import type { AssistantStep, CallStep } from "../shared/turns.ts";
import type { GeminiDialect, ModelTraits } from "./dialect.ts";
import { extras, type MediaItem, type PartItem } from "./extension.ts";
import { mediaPart } from "./media.ts";
import { unsealSignature, type SignatureKind } from "./signatures.ts";
import { parsed, type Part } from "./wire.ts";

/** What encoding a conversation needs to know. */
export interface TurnContext {
  dialect: GeminiDialect;
  traits: ModelTraits;
  names: ToolNames;
  losses: Loss[];
}

type Steps = { [T in AssistantStep["type"]]: (step: Extract<AssistantStep, { type: T }>) => void };
type HostedEncoder = (encoder: TurnEncoder, item: HostedItem) => void;

/** The provider's own call of an MCP server, and its answer, as the model's turn holds them. */
export function mcpParts(item: McpCall, toArgs: (json: string, name: string) => JsonObject): [call: Part, answer?: Part] {
  const name = `${item.server_label}_${item.name}`;
  const call = { functionCall: { name, args: toArgs(item.arguments, name) } };
  if (item.output === undefined || item.output === null) return [call];
  const response = extras(item)["response"] ?? { result: item.output };
  return [call, { functionResponse: { name, response } }];
}

/** What the assistant did in one turn, as the parts of one content; signatures return to the parts that they came on. */
export class TurnEncoder {
  readonly #context: TurnContext;
  readonly #parts: Part[] = [];
  /** A signature that waits for its part. */
  #pending: { kind: SignatureKind; data: string; path: string } | undefined;
  #hasCall = false;
  /** Whether the part before told of a server-side tool: its item, which comes next, is the same thing again. */
  #told = false;

  readonly #steps: Steps = {
    text: ({ text }) => this.#add("text", { text }),
    refusal: ({ text }) => {
      this.#lose("input", "The Gemini API does not support refusals; the refusal was sent as text.");
      this.#add("text", { text });
    },
    reasoning: ({ item, path }) => this.#reasoning(item, path),
    call: (step) => this.#call(step),
    hosted: ({ item, path }) => this.#hosted(item, path),
  };

  constructor(context: TurnContext) {
    this.#context = context;
  }

  encode(steps: readonly AssistantStep[]): Part[] {
    for (const step of steps) {
      // The table pairs each type with its own encoder, which is more than the type system can follow.
      (this.#steps[step.type] as (step: AssistantStep) => void)(step);
      if (step.type !== "reasoning") this.#told = false;
    }
    this.#forget();
    return this.#parts;
  }

  #lose(path: string, reason: string): void {
    this.#context.losses.push({ path, reason });
  }

  /** Adds a part, with the signature that waits for one of its kind. */
  #add(kind: SignatureKind, part: Part): void {
    const pending = this.#pending?.kind === kind ? this.#pending : undefined;
    if (!pending) this.#forget();
    this.#pending = undefined;
    this.#parts.push(pending ? { ...part, thoughtSignature: pending.data } : part);
  }

  #forget(): void {
    if (this.#pending) this.#lose(this.#pending.path, "The part that this signature belongs to is no longer in the history.");
    this.#pending = undefined;
  }

  #reasoning({ summary, content, encrypted_content }: ReasoningParam, path: string): void {
    const signature = unsealSignature(encrypted_content);
    if (!signature) return this.#lose(path, "Only the provider that created this reasoning can read it.");
    this.#forget();
    const thoughts = [...summary, ...(content ?? [])].filter(({ text }) => text !== "");
    for (const { text } of thoughts) this.#parts.push({ text, thought: true });
    const { kind, data } = signature;
    if (kind === "tool") this.#serverTool(data, path);
    else if (kind === "part") this.#parts.push({ text: "", thoughtSignature: data });
    else if (kind === "thought" || kind === "result") this.#signLast(data, path);
    else this.#pending = { ...signature, path };
  }

  #signLast(data: string, path: string): void {
    if (data === "") return;
    const last = this.#parts.at(-1);
    if (last && last.thoughtSignature === undefined) this.#parts.splice(-1, 1, { ...last, thoughtSignature: data });
    else this.#lose(path, "The part that this signature belongs to is no longer in the history.");
  }

  #serverTool(data: string, path: string): void {
    const part = parsed(data);
    if (!isObject(part)) return this.#lose(path, "The item was modified and cannot be read.");
    this.#parts.push(part);
    this.#told = true;
  }

  #call({ call_id, kind, name, namespace, input }: CallStep): void {
    const { names, dialect, traits } = this.#context;
    const args = kind === "custom" ? { input } : this.#arguments(input, call_id);
    const id = dialect.callIds ? { id: call_id } : {};
    this.#add("call", { functionCall: { ...id, name: names.toWire(name, namespace), args } });
    const part = this.#parts.at(-1)!;
    // Of parallel calls only the first one is signed.
    if (!this.#hasCall && traits.dummySignature !== undefined) part.thoughtSignature ??= traits.dummySignature;
    this.#hasCall = true;
  }

  #arguments(input: string, call_id: string): JsonObject {
    if (input.trim() === "") return {};
    const args = parsed(input);
    if (isObject(args)) return args;
    this.#lose(
      "input",
      `The arguments of the call "${call_id}" are not a JSON object; they were sent as one argument named \`arguments\`.`,
    );
    return { arguments: args ?? input };
  }

  #hosted(item: HostedItem, path: string): void {
    const encode = own(TurnEncoder.#hostedItems, item.type);
    if (encode) encode(this, item);
    else if (!this.#told) this.#lose(path, `The Gemini API does not support \`${item.type}\` items in the history.`);
  }

  // Each encoder is looked up by the type of the item that it takes.
  static readonly #hostedItems: Readonly<Record<string, HostedEncoder>> = {
    code_interpreter_call: (encoder, item) => encoder.#code(item as CodeInterpreterCall),
    image_generation_call: (encoder, item) => encoder.#picture(item as ImageGenerationCall),
    mcp_call: (encoder, item) => encoder.#mcp(item as McpCall),
    "google:media": (encoder, item) => encoder.#media(item as unknown as MediaItem),
    "google:part": (encoder, item) => encoder.#own(item as unknown as PartItem),
  };

  #code({ id, code, outputs, status }: CodeInterpreterCall): void {
    const wireId = this.#context.dialect.callIds && id ? { id: id.replace(/^ci_/, "") } : {};
    if (code) this.#add("code", { executableCode: { ...wireId, language: "PYTHON", code } });
    if (!outputs) return;
    const output = outputs.map((one) => (one.type === "logs" ? one.logs : "")).join("");
    const outcome = status === "failed" ? "OUTCOME_FAILED" : "OUTCOME_OK";
    this.#parts.push({ codeExecutionResult: { ...wireId, outcome, ...(output && { output }) } });
    for (const one of outputs) {
      const data = one.type === "image" ? parseDataUrl(one.url) : undefined;
      if (data) this.#parts.push(mediaPart(data.mediaType, data.data, undefined));
    }
  }

  #picture({ result, output_format = "png" }: ImageGenerationCall): void {
    if (result) this.#add("media", mediaPart(`image/${output_format}`, result, undefined));
  }

  #media({ mime_type, data, uri, thought }: MediaItem): void {
    this.#add("media", { ...mediaPart(mime_type, data, uri), ...(thought && { thought }) });
  }

  #mcp(item: McpCall): void {
    const [call, answer] = mcpParts(item, (args, name) => this.#arguments(args, name));
    this.#add("call", call);
    if (answer) this.#parts.push(answer);
  }

  #own({ part }: PartItem): void {
    this.#forget();
    if (isObject(part)) this.#parts.push(part);
  }
}
