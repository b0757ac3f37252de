import fc, { type Arbitrary } from "fast-check";

/** A value of JSON. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What stands where something else is expected. */
export const oddValues: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  "",
  " ",
  "x",
  "__proto__",
  "constructor",
  "toString",
  "\0",
  "\ud800",
  "function",
  "message",
  "user",
  "assistant",
  "system",
  "tool",
  "auto",
  "c1",
  "data:image/png;base64,AAAA",
  "data:;base64,%%%",
  "x".repeat(3_000),
  [],
  [null],
  [[]],
  [{}],
  ["x", 1, null],
  {},
  { type: null },
  { type: 1 },
  { type: "x" },
  { type: "text" },
  { type: "text", text: 1 },
  { type: "input_text", text: null },
  { id: 1 },
  { name: [] },
  { __proto__: null, constructor: 1, toString: "x" },
  { a: { b: { c: [] } } },
];

type Mutation = (value: Json, at: number, odd: Json) => Json;

/** Every place in a value, the value itself first. */
function placesIn(value: Json, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Array.isArray(value) ? value.entries() : Object.entries(value);
  return [path, ...[...inner].flatMap(([name, part]) => placesIn(part, [...path, name]))];
}

const changedAt = (
  value: Json,
  [name, ...rest]: readonly (string | number)[],
  change: (part: Json) => Json | undefined,
): Json => {
  if (name === undefined) return change(value) ?? null;
  const copy = structuredClone(value) as Record<string | number, Json>;
  const inner = rest.length === 0 ? change(copy[name]!) : changedAt(copy[name]!, rest, change);
  if (inner === undefined) delete copy[name];
  else copy[name] = inner;
  return Array.isArray(value) ? (copy as unknown as Json[]).filter((part) => part !== undefined) : copy;
};

/** What may happen to a part of a value. */
const changes: readonly ((part: Json, odd: Json) => Json | undefined)[] = [
  (_, odd) => odd,
  (_, odd) => odd,
  () => undefined,
  (part) => [part],
  (part) => (Array.isArray(part) ? [...part, ...part] : part),
  (part, odd) => (Array.isArray(part) ? [odd, ...part] : part),
  (part, odd) => (typeof part === "object" && part !== null && !Array.isArray(part) ? { ...part, type: odd } : odd),
  (part) => (typeof part === "string" ? { text: part } : JSON.stringify(part)),
];

const mutation: Mutation = (value, at, odd) => {
  const places = placesIn(value);
  // The value itself stays what it is: bodies that are no objects have tests of their own.
  const path = places[1 + (at % Math.max(1, places.length - 1))];
  const change = changes[Math.floor(at / 1_000) % changes.length]!;
  return path ? changedAt(value, path, (part) => change(part, odd)) : value;
};

/** Values that differ from good ones in one to three places. */
export const mutantsOf = (seeds: readonly object[]): Arbitrary<object> =>
  fc
    .record({
      seed: fc.constantFrom(...seeds),
      steps: fc.array(fc.tuple(fc.nat(1_000_000), fc.constantFrom(...oddValues)), { minLength: 1, maxLength: 3 }),
    })
    .map(({ seed, steps }) => {
      const changed = steps.reduce((value, [at, odd]) => mutation(value, at, odd), structuredClone(seed) as Json);
      return typeof changed === "object" && changed !== null ? changed : {};
    });
