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
  // Most values have nothing to lose: they are copied when something is found.
  let kept: Record<string, unknown> | undefined;
  for (const key in value) {
    const inner = value[key];
    const at = path ? `${path}.${key}` : key;
    if (key.includes(":")) {
      losses.push({ path: at, reason: "The field is another wire's own." });
      delete (kept ??= { ...value })[key];
    } else if (typeof inner === "object" && !open.has(key)) {
      const clean = withoutExtensions(inner, at, losses);
      if (clean !== inner) (kept ??= { ...value })[key] = clean;
    }
  }
  // A copy has every field of the value but those that must not go out.
  return kept === undefined ? value : (kept as T);
}

// What stands in these is the caller's, colons and all.
const open: ReadonlySet<string> = new Set(["parameters", "schema", "metadata", "headers", "filters", "variables"]);
