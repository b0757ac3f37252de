import { AntiphonError, isObject } from "antiphon";

const mostPairs = 16;
const longestName = 64;
const longestValue = 512;

/** Sixteen pairs of short texts, as clients know metadata. */
export function metadataIn(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  const pairs = isObject(value) ? Object.entries(value) : undefined;
  const fits = pairs?.every(
    ([name, text]) => name.length <= longestName && typeof text === "string" && text.length <= longestValue,
  );
  if (!pairs || !fits || pairs.length > mostPairs)
    throw new AntiphonError("BAD_REQUEST", `\`metadata\` must be an object of at most ${mostPairs} short strings.`, {
      param: "metadata",
    });
  return Object.fromEntries(pairs) as Record<string, string>;
}
