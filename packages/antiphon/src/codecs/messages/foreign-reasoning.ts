import { isObject } from "../../model/guards.ts";
import type { ReasoningParam } from "../../model/index.ts";
import { seal, unseal } from "../shared/envelope.ts";
import type { Block } from "./extension.ts";
import { parseJson } from "./json.ts";

// The wire that reads such an envelope is this one's server, nobody upstream.
const wire = "messages-server";

interface Parts {
  id?: string | null;
  encrypted_content?: string | null;
  /** The lengths of the paragraphs, to take the text apart again. */
  summary: number[];
  content?: number[];
}

const lengths = (parts: readonly { text: string }[]): number[] => parts.map(({ text }) => text.length);
const joined = (parts: readonly { text: string }[]): string => parts.map(({ text }) => text).join("");

/**
 * Reasoning as a block that a client of the wire keeps and sends back: its own signature where this wire made it, else one that
 * holds the item's id and blob, which belong together.
 */
export function toThinkingBlock(item: ReasoningParam, vendor: string): Block {
  const envelope = unseal(item.encrypted_content);
  const thinking = joined([...item.summary, ...(item.content ?? [])]);
  if (envelope?.wire === vendor && envelope.kind === "redacted") return { type: "redacted_thinking", data: envelope.data };
  if (envelope?.wire === vendor && envelope.kind === "signature") return { type: "thinking", thinking, signature: envelope.data };
  const { id, encrypted_content, summary, content } = item;
  const parts: Parts = { id, encrypted_content, summary: lengths(summary), ...(content && { content: lengths(content) }) };
  return { type: "thinking", thinking, signature: seal({ wire, kind: "reasoning", data: JSON.stringify(parts) }) };
}

/** The reasoning that a signature of ours stands for; thinking that some provider signed stays as it is. */
export function restoreReasoning(item: ReasoningParam): ReasoningParam {
  const signature = unseal(item.encrypted_content);
  const own = signature?.kind === "signature" ? unseal(signature.data) : undefined;
  if (own?.wire !== wire) return item;
  const parts = partsIn(own.data);
  if (!parts) return item;
  let rest = joined([...item.summary, ...(item.content ?? [])]);
  const take = (length: number): string => {
    const piece = rest.slice(0, length);
    rest = rest.slice(length);
    return piece;
  };
  return {
    type: "reasoning",
    ...(parts.id && { id: parts.id }),
    summary: parts.summary.map((length) => ({ type: "summary_text", text: take(length) })),
    ...(parts.content && { content: parts.content.map((length) => ({ type: "reasoning_text", text: take(length) })) }),
    ...(parts.encrypted_content && { encrypted_content: parts.encrypted_content }),
  };
}

/** A client may send back what it likes: what is no list of lengths is not read. */
function partsIn(data: string): Parts | undefined {
  const value = parseJson(data);
  // Written by `toThinkingBlock`; a forged one can only cut its own text in other places.
  return isObject(value) && isLengths(value["summary"]) && isLengths(value["content"] ?? [])
    ? (value as unknown as Parts)
    : undefined;
}

const isLengths = (value: unknown): boolean => Array.isArray(value) && value.every((length) => Number.isInteger(length));
