import { isObject } from "../../model/guards.ts";
import type { ReasoningParam, ReasoningText, SummaryText } from "../../model/index.ts";
import { seal, unseal } from "../shared/envelope.ts";
import { parsed, stringIn } from "./wire.ts";

/**
 * What a signature sat on: a thought itself, the call, text, code or picture after it, the code's result before it, or an empty
 * part of its own. `tool` is a whole part, as JSON: the call or the answer of a tool that the server ran.
 */
export type SignatureKind = "thought" | "call" | "text" | "code" | "media" | "result" | "part" | "tool";

const wire = "gemini";
const kinds: ReadonlySet<string> = new Set<SignatureKind>(["thought", "call", "text", "code", "media", "result", "part", "tool"]);

/** Words that clients may send in the place of a signature, for calls that another model made. */
const dummies: ReadonlySet<string> = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

/** A signature that a client of ours sent back, or nothing where there is none. */
export const signatureIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && !dummies.has(value) ? value : undefined;

/** A signature in its envelope. A thought of this wire that has none gets an empty one, which tells where it came from. */
export const sealSignature = (kind: SignatureKind, data: string): string => seal({ wire, kind, data });

/** The signature in an `encrypted_content`, or nothing where another wire made it. */
export function unsealSignature(content: string | null | undefined): { kind: SignatureKind; data: string } | undefined {
  const envelope = unseal(content);
  if (envelope?.wire !== wire || !kinds.has(envelope.kind)) return undefined;
  return { kind: envelope.kind as SignatureKind, data: envelope.data };
}

/** What of a foreign reasoning item does not fit into thought parts. */
interface Foreign {
  id?: string | null;
  encrypted_content?: string | null;
  /** Whether the text is raw thought, not a summary. */
  raw: boolean;
}

const foreignWire = "reasoning";
const foreignKind = "item";
// The first characters of every envelope, in base64: whole groups of three bytes only.
const sealedStart = btoa(seal({ wire: foreignWire, kind: foreignKind, data: "" }).slice(0, 9));

/**
 * A reasoning item of another wire as a signature: clients of this wire send signatures back as they are, so the item comes
 * back with its id and blob.
 */
export function foreignSignature({ id, encrypted_content, content }: ReasoningParam): string {
  const foreign: Foreign = { id, encrypted_content, raw: (content?.length ?? 0) > 0 };
  return toBase64(seal({ wire: foreignWire, kind: foreignKind, data: JSON.stringify(foreign) }));
}

/** The reasoning item that a signature of a client of ours stands for. */
export function reasoningOf(signature: string, kind: SignatureKind, thoughts: readonly string[]): ReasoningParam {
  const foreign = foreignIn(signature);
  const summary = thoughts.map((text): SummaryText => ({ type: "summary_text", text }));
  if (!foreign) return { type: "reasoning", summary, encrypted_content: sealSignature(kind, signature) };
  const { id, encrypted_content, raw } = foreign;
  const content = thoughts.map((text): ReasoningText => ({ type: "reasoning_text", text }));
  return {
    type: "reasoning",
    ...(id ? { id } : {}),
    summary: raw ? [] : summary,
    ...(raw ? { content } : {}),
    ...(encrypted_content ? { encrypted_content } : {}),
  };
}

function foreignIn(signature: string): Foreign | undefined {
  if (!signature.startsWith(sealedStart)) return undefined;
  const envelope = unseal(fromBase64(signature));
  const data = envelope?.wire === foreignWire && envelope.kind === foreignKind ? parsed(envelope.data) : undefined;
  if (!isObject(data)) return undefined;
  return { id: stringIn(data["id"]), encrypted_content: stringIn(data["encrypted_content"]), raw: data["raw"] === true };
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function fromBase64(base64: string): string | undefined {
  try {
    const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
