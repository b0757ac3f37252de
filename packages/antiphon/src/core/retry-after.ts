/** What is read of `Headers`. */
interface Headers {
  get(name: string): string | null;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const piece = /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])/gi;
const hint = new RegExp(`(?:try again|retry|wait)\\s+(?:(?:in|after|for)\\s+)?(?:about\\s+)?((?:${piece.source}\\s*)+)`, "i");

/** A limit's own reset counts only where the limit is used up, or where its server doesn't tell how much is left. */
const resets: readonly (readonly [reset: string, remaining: string])[] = [
  ["x-ratelimit-reset-requests", "x-ratelimit-remaining-requests"],
  ["x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens"],
  ["x-ratelimit-reset", "x-ratelimit-remaining"],
  ["anthropic-ratelimit-requests-reset", "anthropic-ratelimit-requests-remaining"],
  ["anthropic-ratelimit-tokens-reset", "anthropic-ratelimit-tokens-remaining"],
  ["anthropic-ratelimit-input-tokens-reset", "anthropic-ratelimit-input-tokens-remaining"],
  ["anthropic-ratelimit-output-tokens-reset", "anthropic-ratelimit-output-tokens-remaining"],
];

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, `retry-after` (seconds or a date), a hint in the message,
 * or the time until its rate limit is reset, in this order.
 *
 * @example
 * retryAfter(new Headers({ "retry-after": "1.5" })); // 1500
 */
export function retryAfter(headers: Headers, message = "", now = Date.now()): number | undefined {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (exact >= 0) return exact;
  const asked = headers.get("retry-after");
  const wait = asked === null ? undefined : moment(asked, now);
  if (wait !== undefined) return wait;
  const hinted = hint.exec(message)?.[1];
  if (hinted !== undefined) return duration(hinted);
  const waits = resets.flatMap(([reset, remaining]) =>
    Number(headers.get(remaining) ?? 0) > 0 ? [] : [moment(headers.get(reset) ?? "", now) ?? 0],
  );
  return Math.max(...waits) || undefined;
}

/** Seconds, a moment since 1970 in seconds or milliseconds, a duration (`6m0s`) or a date. */
function moment(text: string, now: number): number | undefined {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (number >= 1e12) return Math.max(0, number - now);
  if (number >= 1e9) return Math.max(0, number * 1_000 - now);
  if (!Number.isNaN(number)) return Math.max(0, number * 1_000);
  const length = duration(text);
  if (length !== undefined) return length;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function duration(text: string): number | undefined {
  let total = 0;
  const rest = text.replace(piece, (_, amount: string, unit: string) => {
    const name = unit.toLowerCase();
    total += Number(amount) * (name.startsWith("milli") ? 1 : (units[name === "ms" ? name : name[0]!] ?? 0));
    return "";
  });
  return rest.trim() === "" && text.trim() !== "" ? total : undefined;
}
