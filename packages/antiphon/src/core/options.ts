import { isObject, own } from "../model/guards.ts";
import { AntiphonError } from "./error.ts";
import { nearest } from "./nearest.ts";

/** Where an option stands: the function that takes it, and the path to it (`timeouts.idle`). */
interface Place {
  of: string;
  path: string;
}

/** Returns the error for a value that an option must not have. */
export type Rule = (value: unknown, place: Place) => AntiphonError | undefined;

/** A rule for every option. A missing name does not compile. `*:*` is the rule for names with a vendor's prefix. */
export type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule };

/** Makes a rule of a test. `must` completes the sentence "`maxSteps` of `Agent` must …". */
export const rule =
  (must: string, holds: (value: unknown) => boolean): Rule =>
  (value, { of, path }) =>
    holds(value) ? undefined : bad(of, path, `must ${must}${typeof value === "string" ? "" : butNot(value)}`);

export const anything: Rule = () => undefined;
export const text: Rule = rule("be a string that is not empty", (value) => typeof value === "string" && value !== "");
export const anyText: Rule = rule("be a string", (value) => typeof value === "string");
export const yesOrNo: Rule = rule("be true or false", (value) => typeof value === "boolean");
export const object: Rule = rule("be an object", isObject);
const list: Rule = rule("be a list", Array.isArray);
export const func: Rule = rule("be a function", (value) => typeof value === "function");
export const signal: Rule = rule("be an `AbortSignal`", isSignal);

export const oneOf = (...values: readonly string[]): Rule =>
  rule(`be one of ${values.join(", ")}`, (value) => typeof value === "string" && values.includes(value));

export const matching = (must: string, pattern: RegExp): Rule =>
  rule(must, (value) => typeof value === "string" && pattern.test(value));

export const between = (least: number, most: number, whole = true): Rule =>
  rule(
    `be ${whole ? "a whole number" : "a number"} from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value)),
  );

export const number: Rule = rule("be a number", (value) => typeof value === "number" && Number.isFinite(value));

export const whole = (least: number): Rule =>
  rule(`be a whole number of at least ${least}`, (value) => Number.isInteger(value) && isAtLeast(value, least));

/** A limit of this program's own, where `Infinity` means no limit. */
export const limit = (least: number): Rule =>
  rule(
    `be a whole number of at least ${least}`,
    (value) => (Number.isInteger(value) || value === Infinity) && isAtLeast(value, least),
  );

export const milliseconds: Rule = rule("be a number of milliseconds, at least 0", (value) => isAtLeast(value, 0));

/** An object with these methods, such as a store of the caller's. */
export const objectWith = (must: string, ...methods: readonly string[]): Rule =>
  rule(must, (value) => isObject(value) && methods.every((name) => hasMethod(value, name)));

/** A field of a request, where `null` stands for "not set". */
export const nullable =
  (inner: Rule): Rule =>
  (value, place) =>
    value === null ? undefined : inner(value, place);

/** A value that any of several rules accepts; `must` says which. */
export const either = (must: string, ...rules: readonly Rule[]): Rule => {
  const nowhere = { of: "", path: "" };
  return rule(must, (value) => rules.some((inner) => inner(value, nowhere) === undefined));
};

/** A list, each member of which follows a rule. */
export const listOf =
  (member: Rule, { least = 0, most = Infinity } = {}): Rule =>
  (value, place) => {
    const { of, path } = place;
    if (!Array.isArray(value)) return list(value, place);
    if (value.length < least) return bad(of, path, "must be a list that is not empty");
    if (value.length > most) return bad(of, path, `must be a list of ${most} at most`);
    for (const [index, one] of value.entries()) {
      const fault = member(one, { of, path: `${path}[${index}]` });
      if (fault) return fault;
    }
    return undefined;
  };

/** An object of strings, such as headers. A `Headers` or a `Map` has no fields of its own and would get lost. */
export const strings: Rule = rule(
  "be a plain object of strings",
  (value) => isObject(value) && !(Symbol.iterator in value) && Object.values(value).every((one) => typeof one === "string"),
);

/** Options inside an option. */
export const nested =
  <Options extends object>(rules: Rules<Options>): Rule =>
  (value, place) =>
    object(value, place) ?? faultIn(value as object, rules, place.of, `${place.path}.`);

/**
 * Throws `BAD_REQUEST` if an option is unknown or has a wrong value. Options that are `undefined` are ignored.
 *
 * @param of The function that takes the options, as its caller writes it.
 */
export function checkOptions<Options extends object>(of: string, options: Options, rules: Rules<Options>): void {
  if (!isObject(options)) throw new AntiphonError("BAD_REQUEST", `The options of \`${of}\` must be an object${butNot(options)}.`);
  const fault = faultIn(options, rules, of, "");
  if (fault) throw fault;
}

function faultIn(options: object, rules: Readonly<Record<string, Rule>>, of: string, prefix: string): AntiphonError | undefined {
  for (const name in options) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    const known = own(rules, name) ?? (name.includes(":") ? rules["*:*"] : undefined);
    const fault = known ? known(value, { of, path: prefix + name }) : unknownOption(of, name, Object.keys(rules), prefix);
    if (fault) return fault;
  }
  return undefined;
}

/** Names that other libraries use, without case and separators, and what they are called here. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  abort: ["signal"],
  abortsignal: ["signal"],
  apibase: ["baseUrl"],
  effort: ["reasoning"],
  execute: ["run"],
  handler: ["run"],
  handoffs: ["handovers"],
  inputschema: ["input"],
  key: ["apiKey"],
  maxcompletiontokens: ["max_output_tokens"],
  maxretries: ["retry", "retries"],
  maxtokens: ["max_output_tokens"],
  maxturns: ["maxSteps"],
  outputschema: ["output"],
  outputtype: ["output"],
  reasoningeffort: ["reasoning"],
  responseformat: ["output"],
  retries: ["retry"],
  schema: ["output", "input"],
  stopsequences: ["stop"],
  system: ["instructions"],
  systemprompt: ["instructions"],
  timeout: ["timeouts"],
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

function unknownOption(of: string, name: string, names: readonly string[], prefix: string): AntiphonError {
  const meant = new Map(names.map((known) => [plain(known), known]));
  for (const [other, targets] of Object.entries(otherNames)) {
    const target = targets.find((known) => names.includes(known));
    if (target && !meant.has(other)) meant.set(other, target);
  }
  const near = nearest(plain(name), [...meant.keys()]);
  const few = names.length <= 12 ? ` The options are ${inBackticks(names)}.` : "";
  const hint = near === undefined ? few : ` Did you mean \`${prefix}${meant.get(near)}\`?`;
  return new AntiphonError("BAD_REQUEST", `Unknown option \`${prefix}${name}\` of \`${of}\`.${hint}`, { param: prefix + name });
}

/** The error for an option with a wrong value. */
export const bad = (of: string, option: string, fault: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `\`${option}\` of \`${of}\` ${fault}.`, { param: option });

/** Throws `BAD_REQUEST` unless an argument of a function is what it must be. */
export function checkArgument(of: string, expected: string, holds: boolean, value: unknown): void {
  if (!holds) throw new AntiphonError("BAD_REQUEST", `\`${of}\` takes ${expected}${butNot(value)}.`);
}

/** Formats code names for a message: `temperature`, `seed`. */
export const inBackticks = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

/** Formats other values for a message: "call_1", "call_2". */
export const inQuotes = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(", ");

/** Returns ", not a string" for a value that is wrong, and nothing for one that is missing. */
export const butNot = (value: unknown): string => (value === undefined ? "" : `, not ${kindOf(value)}`);

/** What a value is, in words. Never the text of a string, which may be a key. */
function kindOf(value: unknown): string {
  if (typeof value === "string") return value === "" ? "an empty string" : "a string";
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise (await it first)";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

export function isSignal(value: unknown): boolean {
  return isObject(value) && typeof value["addEventListener"] === "function";
}

const isAtLeast = (value: unknown, least: number): value is number => typeof value === "number" && value >= least;
const hasMethod = (value: object, name: string): boolean => typeof Reflect.get(value, name) === "function";

/** Throws `BAD_REQUEST` unless an argument is a response. */
export function checkResponse(of: string, response: unknown): void {
  checkArgument(of, "a response", isObject(response) && areObjects(response["output"]), response);
}

export const areObjects = (value: unknown): boolean => Array.isArray(value) && value.every(isObject);
