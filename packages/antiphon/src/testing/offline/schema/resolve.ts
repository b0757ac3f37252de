import { isObject, own, type JsonObject } from "../../../model/guards.ts";
import { step } from "./patience.ts";

const hopsAtMost = 32;

/** What a `$ref` inside a schema points at; one that leads out of it, nowhere or in a circle allows everything. */
export function resolve(ref: unknown, root: JsonObject): unknown {
  let target: unknown = { $ref: ref };
  for (let hops = 0; hops < hopsAtMost; hops += 1) {
    step(root);
    if (!isObject(target) || typeof target["$ref"] !== "string" || Object.keys(target).length > 1) return target;
    target = lookUp(target["$ref"], root);
  }
  return true;
}

function lookUp(ref: string, root: JsonObject): unknown {
  if (!/^#(?:\/|$)/.test(ref)) return true;
  let found: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder: unknown = found;
    if (Array.isArray(holder)) found = holder[Number(name)];
    else found = isObject(holder) ? own(holder, name) : undefined;
  }
  return found ?? true;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
