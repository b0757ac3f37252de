import { isObject } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";

// The specification has no server-side tools: as extensions they carry their maker's name.
const slug = "openai:";

/** Item and tool types that the specification defines under bare names. */
const standard: ReadonlySet<string> = new Set([
  "message",
  "function_call",
  "function_call_output",
  "reasoning",
  "compaction",
  "item_reference",
  "function",
  "allowed_tools",
]);

/** The same object with its type under the name that the specification demands of extensions. */
export function prefixedType<T extends { type?: string | null }>(value: T): T {
  const type = value.type;
  return typeof type !== "string" || standard.has(type) || type.includes(":") ? value : { ...value, type: slug + type };
}

/** The same object with its type under the bare name that this library uses. */
export function bareType(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { type } = value;
  return typeof type === "string" && type.startsWith(slug) ? { ...value, type: type.slice(slug.length) } : value;
}

/** Whether a type is one that only hosted tools use. */
const isHostedType = (type: string): boolean => !standard.has(type);

/** Whether a request names hosted tools: only then may an answer hold what is theirs. */
export const asksForHosted = ({ tools }: CreateResponse): boolean => (tools ?? []).some((tool) => isHostedType(tool.type));

/** The name of a hosted tool's event as an extension. */
export const prefixedEvent = (type: string): string => (type.includes(":") ? type : slug + type.replace(/^response\./, ""));
