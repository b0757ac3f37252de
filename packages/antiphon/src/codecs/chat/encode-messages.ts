import type { Loss } from "../../core/loss.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CreateResponse, ReasoningParam } from "../../model/index.ts";
import { toCustomArguments } from "../shared/custom-input.ts";
import { unseal } from "../shared/envelope.ts";
import type { ToolNames } from "../shared/tool-names.ts";
import { toTurns, type AssistantStep, type CallStep, type ToolResult, type Turn } from "../shared/turns.ts";
import { CallIds } from "./call-ids.ts";
import type { ChatDialect } from "./dialect.ts";
import { audioItem } from "./own-words.ts";
import { contentOf, encodeParts, mediumOf, type WirePart } from "./encode-content.ts";

/** A message on the wire. */
export type WireMessage = { role: string; content?: unknown; [field: string]: unknown };

type Encoders = { [R in Turn["role"]]: (turn: Extract<Turn, { role: R }>) => WireMessage[] };

/** A request's instructions and input as messages. */
export function encodeMessages(request: CreateResponse, dialect: ChatDialect, names: ToolNames, losses: Loss[]): WireMessage[] {
  const turns = toTurns(request.input, losses, "Chat Completions API");
  const { head, rest } = dialect.systemMessages === "leading" ? splitHead(turns) : { head: [], rest: turns };
  const instructions = [request.instructions ?? "", ...head].filter(Boolean).join("\n\n");
  const messages: WireMessage[] = instructions ? [{ role: "system", content: instructions }] : [];
  const encoder = new MessageEncoder(dialect, names, losses);
  for (const turn of rest) messages.push(...encoder.encode(turn));
  return messages;
}

function splitHead(turns: readonly Turn[]): { head: string[]; rest: Turn[] } {
  const end = turns.findIndex(({ role }) => role !== "system");
  const size = end === -1 ? turns.length : end;
  return { head: turns.slice(0, size).map((turn) => (turn.role === "system" ? turn.text : "")), rest: turns.slice(size) };
}

class MessageEncoder {
  readonly #dialect: ChatDialect;
  readonly #names: ToolNames;
  readonly #losses: Loss[];
  readonly #ids: CallIds;
  readonly #encoders: Encoders = {
    system: (turn) => this.#system(turn),
    user: ({ content, path }) => {
      const parts = encodeParts(content, this.#dialect, path, this.#losses);
      return parts.length > 0 ? [{ role: "user", content: contentOf(parts) }] : [];
    },
    assistant: ({ steps }) => this.#assistant(steps),
    tool: ({ results }) => this.#results(results),
  };

  constructor(dialect: ChatDialect, names: ToolNames, losses: Loss[]) {
    this.#dialect = dialect;
    this.#names = names;
    this.#losses = losses;
    this.#ids = new CallIds(dialect.callIds);
  }

  encode(turn: Turn): WireMessage[] {
    // The table pairs each role with its own encoder, which is more than the type system can follow.
    return (this.#encoders[turn.role] as (turn: Turn) => WireMessage[])(turn);
  }

  #lose(path: string, reason: string): void {
    this.#losses.push({ path, reason });
  }

  #system({ text, path, developer }: Extract<Turn, { role: "system" }>): WireMessage[] {
    if (!text) return [];
    const { systemMessages, developerRole } = this.#dialect;
    if (systemMessages === "leading") {
      this.#lose(path, "The provider accepts system messages only at the start; this one was sent as a marked user message.");
      return [{ role: "user", content: `<system-reminder>\n${text}\n</system-reminder>` }];
    }
    if (developer && !developerRole)
      this.#lose(`${path}.role`, "The provider does not support the developer role; the message was sent as a system message.");
    return [{ role: developer && developerRole ? "developer" : "system", content: text }];
  }

  /** What the assistant did in a turn, in one message: thoughts, text, calls. */
  #assistant(steps: readonly AssistantStep[]): WireMessage[] {
    const calls = steps.filter((step) => step.type === "call");
    const refusal = this.#refusal(steps);
    const text = steps.map((step) => (step.type === "text" || (step.type === "refusal" && !refusal) ? step.text : "")).join("");
    const spoken = this.#spoken(steps);
    const empty = !text && !refusal && calls.length === 0 && !spoken;
    const extras = this.#extras(steps);
    const thoughts = this.#thoughts(steps, calls.length > 0, empty);
    if (empty) return [];
    const { content, ...fields } = withThoughts(text, thoughts);
    return [
      {
        role: "assistant",
        content,
        ...(refusal ? { refusal } : {}),
        ...fields,
        ...(spoken ? { audio: spoken } : {}),
        ...(calls.length > 0 ? { tool_calls: calls.map((call) => ({ ...this.#call(call), ...extras[call.call_id] })) } : {}),
      },
    ];
  }

  #refusal(steps: readonly AssistantStep[]): string {
    const refusals = steps.flatMap((step) => (step.type === "refusal" ? [step.text] : []));
    if (refusals.length === 0 || this.#dialect.refusals) return refusals.join("");
    this.#lose("input", "The provider does not support refusals; the refusal was sent as text.");
    return "";
  }

  /** What server-side tools did has no word on this wire, but for speech, which has an id. */
  #spoken(steps: readonly AssistantStep[]): { id: string } | undefined {
    let spoken: { id: string } | undefined;
    for (const step of steps) {
      if (step.type !== "hosted") continue;
      const { type, id } = step.item as { type: string; id: string };
      if (type === audioItem && this.#dialect.vendor === "openai") spoken = { id };
      else this.#lose(step.path, `The Chat Completions API does not support \`${type}\` items.`);
    }
    return spoken;
  }

  /** The thoughts of a turn as the server wants them back; those that it does not want are losses. */
  #thoughts(steps: readonly AssistantStep[], calling: boolean, alone: boolean): Thoughts | undefined {
    const { replay, vendor } = this.#dialect;
    const wanted = replay && !alone && (replay.on === "all" || calling) ? replay : undefined;
    const thoughts: Thoughts = { as: wanted?.as ?? "reasoning_content", text: "", details: [] };
    for (const step of steps) {
      if (step.type !== "reasoning" || this.#extraIn(step.item)) continue;
      const reason = wanted ? take(thoughts, step.item, vendor) : alone ? nothingFollows : notTaken;
      if (reason) this.#lose(step.path, reason);
    }
    if (wanted?.needed && !thoughts.text && thoughts.details.length === 0) thoughts.text = " ";
    return wanted && (thoughts.text || thoughts.details.length > 0) ? thoughts : undefined;
  }

  /** What the server hung on the turn's calls, by the ids of the calls. */
  #extras(steps: readonly AssistantStep[]): Record<string, object> {
    const extras = steps.flatMap((step) => Object.entries((step.type === "reasoning" && this.#extraIn(step.item)) || {}));
    return Object.fromEntries(extras.map(([id, extra_content]) => [id, { extra_content }]));
  }

  #extraIn({ encrypted_content }: ReasoningParam): JsonObject | undefined {
    const envelope = unseal(encrypted_content);
    const own = envelope?.wire === `chat.${this.#dialect.vendor}` && envelope.kind === "extra_content";
    const extra = own ? parsed(envelope.data) : undefined;
    return isObject(extra) ? extra : undefined;
  }

  #call({ call_id, kind, name, namespace, input }: CallStep): object {
    const id = this.#ids.toWire(call_id);
    const wireName = this.#names.toWire(name, namespace);
    if (kind === "custom" && this.#dialect.customTools && namespace === undefined)
      return { id, type: "custom", custom: { name: wireName, input } };
    // Servers that read the arguments want JSON, also of a call without any.
    const args = kind === "custom" ? toCustomArguments(input) : input || "{}";
    return { id, type: "function", function: { name: wireName, arguments: args } };
  }

  /** Results as messages of their own; what a tool message cannot hold follows in a user message. */
  #results(results: readonly ToolResult[]): WireMessage[] {
    const media: WirePart[] = [];
    const messages = results.map(({ call_id, output, path }): WireMessage => {
      const tool_call_id = this.#ids.toWire(call_id);
      if (typeof output === "string") return { role: "tool", tool_call_id, content: output };
      const parts = encodeParts(output, this.#dialect, path, this.#losses);
      const held = parts.filter((part) => this.#holds(part));
      const others = parts.filter((part) => !this.#holds(part));
      if (others.length > 0) {
        this.#lose(`${path}.output`, "A tool message cannot contain all of this output; the rest was sent in a user message.");
        media.push({ type: "text", text: `The tool call ${tool_call_id} also returned:` }, ...others);
      }
      const content = contentOf(held) || (others.length > 0 ? "See the next message." : "");
      return { role: "tool", tool_call_id, content };
    });
    return media.length > 0 ? [...messages, { role: "user", content: media }] : messages;
  }

  #holds(part: WirePart): boolean {
    const medium = mediumOf(part);
    return medium === undefined || this.#dialect.toolMedia.includes(medium);
  }
}

interface Thoughts {
  as: "reasoning_content" | "reasoning" | "reasoning_details" | "thinking";
  text: string;
  details: unknown[];
}

const notTaken = "The provider does not accept earlier reasoning here.";
const nothingFollows = "The reasoning is not followed by a message or a call, so it cannot be sent.";

/** Adds an item to the thoughts, or says why it cannot be. */
function take(thoughts: Thoughts, item: ReasoningParam, vendor: string): string | undefined {
  const envelope = unseal(item.encrypted_content);
  if (envelope?.wire === `chat.${vendor}` && envelope.kind === "reasoning_details" && thoughts.as === "reasoning_details") {
    const details = detailsIn(envelope.data);
    thoughts.details.push(...(details ?? []));
    return details ? undefined : "The reasoning was modified and cannot be read.";
  }
  if (item.encrypted_content) return "Only the provider that created this reasoning can read it.";
  const text = (item.content ?? []).map((part) => part.text).join("");
  thoughts.text += text;
  return text ? undefined : "The reasoning contains no text.";
}

function detailsIn(data: string): unknown[] | undefined {
  const details = parsed(data);
  return Array.isArray(details) ? details.filter(isObject) : undefined;
}

/** A blob may have been changed on its way through a client; then it is none. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** An assistant message's content with its thoughts beside or inside it. */
function withThoughts(text: string, thoughts: Thoughts | undefined): JsonObject {
  const content = text || null;
  if (!thoughts) return { content };
  if (thoughts.as === "thinking") {
    const thinking = { type: "thinking", thinking: [{ type: "text", text: thoughts.text }] };
    return { content: text ? [thinking, { type: "text", text }] : [thinking] };
  }
  // Thoughts that came as plain text have a field of their own beside the detailed ones.
  const field = thoughts.as === "reasoning_details" ? "reasoning" : thoughts.as;
  return {
    content,
    ...(thoughts.text ? { [field]: thoughts.text } : {}),
    ...(thoughts.details.length > 0 ? { reasoning_details: thoughts.details } : {}),
  };
}
