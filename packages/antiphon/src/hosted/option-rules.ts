import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";

/** What a value must be, as the end of a sentence, where it is not that. */
type Rule = (value: unknown) => string | undefined;

const rule =
  (must: string, holds: (value: unknown) => boolean): Rule =>
  (value) =>
    holds(value) ? undefined : must;

export const oneOf = (...values: readonly string[]): Rule =>
  rule(`be one of ${values.join(", ")}`, (value) => typeof value === "string" && values.includes(value));

export const between = (least: number, most: number, whole = true): Rule =>
  rule(
    `be ${whole ? "a whole number" : "a number"} from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value)),
  );

export const text: Rule = rule("be text that is not empty", (value) => typeof value === "string" && value !== "");
export const yesOrNo: Rule = rule("be true or false", (value) => typeof value === "boolean");
export const matching = (must: string, pattern: RegExp): Rule =>
  rule(must, (value) => typeof value === "string" && pattern.test(value));
export const anything: Rule = () => undefined;
export const object: Rule = rule("be an object", isObject);

export const listOf =
  (item: Rule, most = Number.POSITIVE_INFINITY): Rule =>
  (value) =>
    listFault(value, item, most);

function listFault(value: unknown, item: Rule, most: number): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "be a list that is not empty";
  if (value.length > most) return `be a list of ${most} at most`;
  for (const [index, one] of value.entries()) {
    const fault = item(one);
    if (fault) return `be a list of which number ${index + 1} too must ${fault}`;
  }
  return undefined;
}

/** The rules of a tool's options, each under the option's name. */
type Rules<Options> = { readonly [K in keyof Required<Options>]: Rule };

/** Throws where an option is unknown or not what it must be; options that are left out hold. */
export function checkOptions<Options extends object>(tool: string, options: Options, rules: Rules<Options>): void {
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) throw bad(tool, name, "is no option");
    const fault = value === undefined ? undefined : rules[name as keyof Options](value);
    if (fault) throw bad(tool, name, `must ${fault}`);
  }
}

/** An option that is not right. */
export const bad = (tool: string, option: string, fault: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `\`${option}\` of \`${tool}\` ${fault}.`, { param: option });
