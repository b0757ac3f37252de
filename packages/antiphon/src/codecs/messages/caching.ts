import type { JsonObject } from "../../model/guards.ts";
import type { Encoding } from "./encoding.ts";
import type { Block, WireMessage } from "./extension.ts";

/** Blocks that a mark may not stand on. */
const unmarkable: ReadonlySet<string> = new Set(["thinking", "redacted_thinking"]);

/**
 * Marks what of the prompt is worth keeping, where the caller names a cache and the dialect asks for marks: once for the whole
 * request, or on the system's words (else on the tools) and on the newest message. Marks of the caller's own stand alone.
 */
export function markPrompt(body: JsonObject, { request, dialect }: Encoding): JsonObject {
  if (!request.prompt_cache_key || dialect.caching === "none" || isMarked(body)) return body;
  const mark = { type: "ephemeral", ...(request.prompt_cache_retention === "24h" && { ttl: "1h" }) };
  if (dialect.caching === "automatic") return { ...body, cache_control: mark };
  // These places were filled by this encoder.
  const { system, tools, messages } = body as { system?: Block[]; tools?: Block[]; messages: WireMessage[] };
  const head = system ? { system: markLast(system, mark) } : tools ? { tools: markLast(tools, mark) } : {};
  const last = messages.at(-1);
  const rest = last ? [...messages.slice(0, -1), { ...last, content: markLast(last.content, mark) }] : messages;
  return { ...body, ...head, messages: rest };
}

/** Marks the last block that may be marked: a tool that is loaded later is in no prefix. */
function markLast(blocks: readonly Block[], mark: JsonObject): Block[] {
  const at = blocks.findLastIndex((block) => !unmarkable.has(block.type) && !block["defer_loading"]);
  return blocks.map((block, index) => (index === at ? { ...block, cache_control: mark } : block));
}

function isMarked(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMarked);
  if (typeof value !== "object" || value === null) return false;
  return (
    "cache_control" in value || ["system", "tools", "messages", "content"].some((place) => isMarked(Reflect.get(value, place)))
  );
}
