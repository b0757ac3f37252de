import type { Annotation, InputItem, ReasoningParam } from "../../model/index.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import { unseal } from "../shared/envelope.ts";
import { toTurns, type AssistantStep, type CallStep, type ToolResult, type Turn } from "../shared/turns.ts";
import { UniqueIds } from "./call-ids.ts";
import { ownCitation, toTextBlocks, withoutBlanks } from "./citations.ts";
import { resultsAfterInnerCalls, withoutUnanswered } from "./inner-calls.ts";
import { parseJson } from "./json.ts";
import { cacheMark, toBlocks } from "./encode-content.ts";
import type { Encoding } from "./encoding.ts";
import { blocksIn, extra, extras, extensionType, isBlock, withExtra, type Block, type WireMessage } from "./extension.ts";

/** A conversation in the wire's two places. */
export interface Prompt {
  system: Block[];
  messages: WireMessage[];
}

// The wire takes no text of white space alone.
const textBlock = (text: string): Block[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

/** A citation as the wire takes it back: the id of the file is not among what it reads. */
function replayed(annotation: Annotation): Block | undefined {
  const { file_id: _, ...citation } = ownCitation(annotation) ?? { type: "" };
  return citation.type === "" ? undefined : citation;
}

/** What the user says where the wire wants a user's turn and the conversation has none. */
const nudge: Block = { type: "text", text: "Continue." };

/** The conversation in the wire's order: the system's words apart, then user and assistant in turn, the user first. */
export function encodePrompt(encoding: Encoding): Prompt {
  const { request, losses } = encoding;
  const input = openCompactions(request.input, encoding);
  const turns = toTurns(input, losses, "Messages API");
  const leading = turns.findIndex(({ role }) => role !== "system");
  const head = leading === -1 ? turns.length : leading;
  const first = textBlock(request.instructions ?? "");
  const system = [...first, ...turns.slice(0, head).flatMap(systemBlocks)];
  const messages = new MessageList(encoding).addAll(turns.slice(head));
  if (messages.length > 0 || system.length === 0) return { system, messages };
  encoding.lose("input", "The Messages API requires a user message; the system message was sent as one.");
  return { system: [], messages: [{ role: "user", content: system }] };
}

/** A compaction of this wire's own making is a block to replay; shared code knows it only as something foreign. */
function openCompactions(input: Encoding["request"]["input"], { dialect }: Encoding): Encoding["request"]["input"] {
  if (!Array.isArray(input)) return input;
  return input.map((item): InputItem => {
    const envelope = item.type === "compaction" ? unseal((item as { encrypted_content: string }).encrypted_content) : undefined;
    if (envelope?.wire !== dialect.vendor || envelope.kind !== "compaction") return item;
    const block = parseJson(envelope.data);
    return isBlock(block) ? { type: extensionType("compaction"), id: "", ...withExtra("blocks", [block]) } : item;
  });
}

/** A system message at the head of the input; each of its parts is a block, with its mark. */
function systemBlocks(turn: Turn): Block[] {
  if (turn.role !== "system") return [];
  const { content } = turn.item;
  if (typeof content === "string") return textBlock(content);
  return content.flatMap((part) => textBlock(part.text).map((block) => ({ ...block, ...cacheMark(part) })));
}

class MessageList {
  readonly #encoding: Encoding;
  readonly #ids = new UniqueIds();
  readonly #messages: WireMessage[] = [];
  #calls: { id: string; toolset_name: unknown }[] = [];

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  addAll(turns: readonly Turn[]): WireMessage[] {
    turns.forEach((turn, index) => this.#add(turn, turns[index + 1]));
    this.#end();
    return withoutUnanswered(this.#messages, this.#encoding.lose);
  }

  #add(turn: Turn, next: Turn | undefined): void {
    if (turn.role === "user") this.#put("user", toBlocks(turn.content, turn.path, this.#encoding));
    else if (turn.role === "tool")
      this.#put(
        "user",
        turn.results.map((result, index) => this.#result(result, index)),
      );
    else if (turn.role === "system") this.#system(turn.text, turn.path, next);
    else this.#assistant(turn.steps);
  }

  /** Turns of one side that follow each other are one message. */
  #put(role: WireMessage["role"], content: Block[]): void {
    if (content.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.#messages.push({ role, content });
  }

  // Moving it to the top would change what it applies to, and every cached prefix.
  #system(text: string, path: string, next: Turn | undefined): void {
    if (text.trim() === "") return;
    const after = this.#messages.at(-1)?.role === "user" && (next === undefined || next.role === "assistant");
    if (this.#encoding.traits.systemTurns && after) return this.#put("system", [{ type: "text", text }]);
    this.#encoding.lose(
      path,
      "The Messages API does not accept a system message here; it was sent as a reminder in the user's turn.",
    );
    this.#put("user", [{ type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` }]);
  }

  #assistant(steps: readonly AssistantStep[]): void {
    this.#calls = [];
    const blocks = this.#withoutOrphans(resultsAfterInnerCalls(steps.flatMap((step) => this.#step(step))));
    if (blocks.length > 0 && this.#messages.length === 0) {
      this.#encoding.lose("input", "The Messages API requires a user message first; one was added.");
      this.#put("user", [nudge]);
    }
    this.#put("assistant", blocks);
  }

  // A turn that broke off may hold thinking that led to nothing.
  #withoutOrphans(blocks: Block[]): Block[] {
    const end = blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking") + 1;
    if (end < blocks.length)
      this.#encoding.lose("input", "The Messages API does not accept reasoning at the end of a turn; it was omitted.");
    return blocks.slice(0, end);
  }

  #step(step: AssistantStep): Block[] {
    if (step.type === "call") return [this.#call(step)];
    if (step.type === "text") return withoutBlanks(toTextBlocks(step.text, step.annotations ?? [], replayed));
    if (step.type === "reasoning") return this.#reasoning(step.item, step.path);
    if (step.type === "refusal") {
      this.#encoding.lose("input", "The Messages API does not support refusals in the history; the refusal was sent as text.");
      return textBlock(step.text);
    }
    const blocks = blocksIn(step.item);
    if (!blocks)
      this.#encoding.lose(step.path, `The Messages API does not accept a \`${step.item.type}\` item that it did not create.`);
    return blocks ?? [];
  }

  #call({ call_id, name, namespace, kind, input, item }: CallStep): Block {
    const id = this.#ids.take(call_id);
    this.#calls.push({ id, toolset_name: extra(item, "toolset_name") });
    return {
      type: "tool_use",
      id,
      name: this.#encoding.names.toWire(name, namespace),
      input: kind === "custom" ? { input } : this.#arguments(input, call_id),
      ...extras(item),
    };
  }

  #arguments(json: string, call_id: string): JsonObject {
    if (json.trim() === "") return {};
    const value = parseJson(json);
    if (isObject(value)) return value;
    this.#encoding.lose("input", `The arguments of the call "${call_id}" are not a JSON object; they were sent as text.`);
    return { arguments: json };
  }

  // Results stand in the order of the calls before them.
  #result({ call_id, output, failed, path, item }: ToolResult, index: number): Block {
    const call = this.#calls[index];
    const content = typeof output === "string" ? output : toBlocks(output, path, this.#encoding);
    return {
      type: "tool_result",
      tool_use_id: call?.id ?? call_id,
      content: content.length > 0 ? content : "",
      ...(failed && { is_error: true }),
      ...(call?.toolset_name ? { toolset_name: call.toolset_name } : {}),
      ...(item && extras(item)),
    };
  }

  #reasoning(item: ReasoningParam, path: string): Block[] {
    const { vendor, unsignedThinking } = this.#encoding.dialect;
    const thinking = (item.content?.length ? item.content : item.summary).map(({ text }) => text).join("");
    const envelope = unseal(item.encrypted_content);
    if (envelope?.wire === vendor && envelope.kind === "redacted") return [{ type: "redacted_thinking", data: envelope.data }];
    if (envelope?.wire === vendor && envelope.kind === "signature")
      return [{ type: "thinking", thinking, signature: envelope.data }];
    if (unsignedThinking && thinking && !item.encrypted_content) return [{ type: "thinking", thinking, signature: "" }];
    this.#encoding.lose(path, "The Messages API accepts only reasoning that it signed.");
    return [];
  }

  #end(): void {
    const last = this.#messages.at(-1);
    if (last?.role !== "assistant") return;
    const tail = last.content.at(-1);
    if (!isBlock(tail) || tail.type !== "text") return;
    if (!this.#encoding.traits.prefill) {
      this.#encoding.lose("input", "The model cannot continue an assistant message; a user message was added.");
      return this.#put("user", [nudge]);
    }
    const text = String(tail["text"]);
    if (text.trimEnd() === text) return;
    this.#encoding.lose(
      "input",
      "The Messages API does not accept whitespace at the end of the last assistant message; it was removed.",
    );
    last.content[last.content.length - 1] = { ...tail, text: text.trimEnd() };
  }
}
