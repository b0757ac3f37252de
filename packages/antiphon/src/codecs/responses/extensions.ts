import type { Loss } from "../../core/loss.ts";
import { isObject } from "../../model/guards.ts";

/**
 * The same value without fields that other wires' codecs keep for themselves (`anthropic:cache_control`, `google:labels`): servers
 * of this wire refuse what they do not know. A value without such fields is given back as it is, not copied.
 */
export const withoutExtensions = <T extends object>(value: T, losses: Loss[]): T =>
  // Of what was taken away only fields are missing that the type does not name.
  hasExtensions(value) ? (stripped(value, "", losses) as T) : value;

/** Most values have nothing to lose: no path is spelt for them. */
function hasExtensions(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasExtensions);
  if (!isObject(value)) return false;
  for (const key in value) if (key.includes(":") || (!open.has(key) && hasExtensions(value[key]))) return true;
  return false;
}

function stripped(value: unknown, path: string, losses: Loss[]): unknown {
  if (Array.isArray(value)) return value.map((inner, index) => stripped(inner, `${path}[${index}]`, losses));
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    if (key.includes(":")) losses.push({ path: at, reason: "The field belongs to another API." });
    else kept[key] = open.has(key) ? inner : stripped(inner, at, losses);
  }
  return kept;
}

// What stands in these is the caller's, colons and all.
const open: ReadonlySet<string> = new Set(["parameters", "schema", "metadata", "headers", "filters", "variables"]);
