import type { CreateResponse, InputItem, Item, Usage } from "../../model/index.ts";

const unusual = /[^ -~\s]/;

// A word or a run of signs with the blanks before it; together the pieces are the text again. Unicode's classes take milliseconds to
// compile, and many texts do without.
const pieceOf = (text: string): RegExp =>
  unusual.test(text) ? /\s*[\p{L}\p{M}\p{N}_]{1,8}|\s*[^\s\p{L}\p{M}\p{N}_]{1,3}|\s+/gu : /\s*\w{1,8}|\s*[^\s\w]{1,3}|\s+/g;

/** A text in word-like pieces, as a model would stream it; each counts as one token. */
export const pieces = (text: string): string[] => text.match(pieceOf(text)) ?? [];

const charactersPerToken = 4;
const tokensOfMedia = 85;
const media: ReadonlySet<string> = new Set(["input_image", "input_file", "input_video", "input_audio"]);

/** How many tokens a request costs: counted from lengths, so that a long history stays cheap to count. */
export function inputTokens(request: CreateResponse, items: readonly InputItem[]): number {
  const told = [request.instructions, request.tools, ...items].reduce<number>((sum, value) => sum + characters(value), 0);
  return Math.ceil(told / charactersPerToken);
}

// An attachment's bytes are no text: whatever its size, it counts as a picture would.
function characters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, entry) => sum + characters(entry), 0);
  if (typeof value === "number" || typeof value === "boolean") return `${value}`.length;
  if (typeof value !== "object" || value === null) return 0;
  if ("type" in value && typeof value.type === "string" && media.has(value.type)) return tokensOfMedia * charactersPerToken;
  return Object.values(value).reduce<number>((sum, entry) => sum + characters(entry), 0);
}

const spoken: ReadonlySet<string> = new Set(["text", "refusal", "arguments", "input", "code"]);

/** How many tokens some items took to write. */
export const outputTokens = (items: readonly Item[]): number => items.reduce((sum, item) => sum + written(item), 0);

const written = (value: object): number =>
  Object.entries(value).reduce((sum, [field, inner]: [string, unknown]) => {
    if (typeof inner === "string") return sum + (spoken.has(field) ? pieces(inner).length : 0);
    return typeof inner === "object" && inner !== null ? sum + written(inner) : sum;
  }, 0);

/** A usage whose figures agree with one another. */
export const usageOf = (input_tokens: number, output_tokens: number, reasoning_tokens: number): Usage => ({
  input_tokens,
  output_tokens,
  total_tokens: input_tokens + output_tokens,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens },
});
