import type { Loss } from "../../core/loss.ts";
import { isObject } from "../../model/guards.ts";

/**
 * The same value without fields that other wires' codecs keep for themselves (`anthropic:cache_control`, `google:labels`): servers
 * of this wire refuse what they do not know. A value without such fields is given back as it is, not copied.
 */
export function withoutExtensions<T>(value: T, path: string, losses: Loss[]): T {
  if (Array.isArray(value)) {
    const kept = value.map((inner: unknown, index) => withoutExtensions(inner, `${path}[${index}]`, losses));
    return kept.some((inner, index) => inner !== value[index]) ? (kept as T) : value;
  }
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  let changed = false;
  for (const [key, inner] of Object.entries(value)) {
    const at = path ? `${path}.${key}` : key;
    if (key.includes(":")) losses.push({ path: at, reason: "The field is another wire's own." });
    else kept[key] = open.has(key) ? inner : withoutExtensions(inner, at, losses);
    changed ||= kept[key] !== inner;
  }
  // The loop copied every field of the value but those that must not go out.
  return changed ? (kept as T) : value;
}

// What stands in these is the caller's, colons and all.
const open: ReadonlySet<string> = new Set(["parameters", "schema", "metadata", "headers", "filters", "variables"]);
