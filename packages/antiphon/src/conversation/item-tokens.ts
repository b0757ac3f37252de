import { isObject } from "../model/guards.ts";
import type { CreateResponse, InputItem } from "../model/index.ts";
import { estimateTokens, type CountTokens } from "./token-count.ts";

// What an attachment takes is a matter of its pixels, pages and seconds, which its base64 does not show.
const tokensOf: ReadonlyMap<unknown, number> = new Map([
  ["input_image", 1_000],
  ["computer_screenshot", 1_000],
  ["image_generation_call", 1_000],
  ["input_file", 2_000],
  ["input_audio", 500],
  ["input_video", 2_000],
]);
const tokensOfSmallImage = 85;
const tokensOfData = 1_000;

// What a model never gets to read.
const unread: ReadonlySet<string> = new Set([
  "type",
  "id",
  "status",
  "annotations",
  "logprobs",
  "container_id",
  "fingerprint",
  "server_label",
]);

// A blob is encrypted text in base64: four characters for three bytes, and about four bytes a token.
const sealed = "encrypted_content";
const blobCharactersPerToken = 5.3;

/** What stands around each item on the wire: its role, its end. */
const tokensAround = 4;

/** Counts what a request holds. */
export interface TokenCounter {
  item(item: InputItem): number;
  items(items: readonly InputItem[]): number;
  text(text: string): number;
  /** The instructions and tools of a request, which go with every one. */
  frame(request: CreateResponse): number;
}

/** Creates a token counter that looks at each item once. */
export function createTokenCounter(count: CountTokens = estimateTokens): TokenCounter {
  const known = new WeakMap<object, number>();
  const once = (value: object): number => {
    let tokens = known.get(value);
    if (tokens === undefined) known.set(value, (tokens = Math.ceil(tokensIn(value, count))));
    return tokens;
  };
  const item = (value: InputItem): number => once(value) + tokensAround;
  return {
    item,
    text: count,
    items: (values) => values.reduce((sum, value) => sum + item(value), 0),
    frame: ({ instructions, tools }) =>
      (instructions ? count(instructions) : 0) + (tools ?? []).reduce((sum, tool) => sum + once(tool), 0),
  };
}

function tokensIn(value: unknown, count: CountTokens): number {
  if (typeof value === "string") return isData(value) ? tokensOfData : count(value);
  if (typeof value === "number") return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + tokensIn(inner, count), 0);
  if (!isObject(value)) return 0;
  if (value["type"] === "input_image" && value["detail"] === "low") return tokensOfSmallImage;
  const fixed = tokensOf.get(value["type"]);
  if (fixed !== undefined) return fixed;
  let sum = 0;
  for (const field in value) if (!unread.has(field)) sum += tokensOfField(field, value[field], count);
  return sum;
}

const tokensOfField = (field: string, value: unknown, count: CountTokens): number =>
  field === sealed && typeof value === "string" ? value.length / blobCharactersPerToken : tokensIn(value, count);

const isData = (text: string): boolean => text.startsWith("data:") && /^data:[^,]{0,200};base64,/.test(text.slice(0, 256));
