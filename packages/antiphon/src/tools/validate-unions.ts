import { isObject, type JsonObject } from "../model/guards.ts";
import { schemaList, type JsonType } from "./json-schema.ts";
import { tagsOf, type Tags } from "./union-tags.ts";
import { checkAt, fail, failAt, failChoice, mustBe, pointerTo, type Check, type Problem, type Visit } from "./validate-visit.ts";

type Compile = (schema: unknown) => Check;

/** Returns the schema behind a reference, or the schema itself. */
export type Resolve = (schema: unknown) => unknown;

/** Checks without collecting problems. */
function fits(check: Check, value: unknown, visit: Visit): boolean {
  const { problems } = visit;
  visit.problems = undefined;
  const result = check(value, visit);
  visit.problems = problems;
  return result;
}

function problemsOf(check: Check, value: unknown, visit: Visit): Problem[] {
  const { problems } = visit;
  const found: Problem[] = [];
  visit.problems = found;
  check(value, visit);
  visit.problems = problems;
  return found;
}

/** Returns the problems of the branch that the author most likely meant: few mismatched constants, then few problems. */
function bestBranch(branches: readonly Problem[][]): Problem[] {
  const mismatches = (problems: Problem[]): number => problems.filter(({ allowed }) => allowed !== undefined).length;
  return branches.reduce((best, problems) => {
    const difference = mismatches(problems) - mismatches(best) || problems.length - best.length;
    return difference < 0 ? problems : best;
  });
}

const depth = (pointer: string): number => pointer.split("/").length - 1;

/** Explains why a value fits none of the branches, by the branch that was most likely meant. */
function explain(checks: readonly Check[], value: unknown, visit: Visit): false {
  if (!visit.problems) return false;
  const here = visit.path.length;
  const branches = checks.map((check) => problemsOf(check, value, visit)).filter((problems) => problems.length > 0);
  const likely = branches.filter((problems) => problems.some(({ path, types }) => !types || depth(path) > here));
  if (likely.length > 0) {
    visit.problems.push(...bestBranch(likely));
    return false;
  }
  const types = [...new Set(branches.flatMap(([problem]): readonly JsonType[] => problem?.types ?? []))];
  return fail(visit, types.length > 0 ? mustBe(types, value) : "must match one of the alternatives", { types });
}

/** Compiles `anyOf`, `oneOf`, `allOf`, `not` and `if`. */
export function unionChecks(schema: JsonObject, compile: Compile, resolve: Resolve): Check[] {
  const { anyOf, oneOf, allOf, not, if: condition, then, else: otherwise } = schema;
  const checks = schemaList(allOf).map(compile);
  if (Array.isArray(anyOf)) checks.push(new Union(anyOf, compile, resolve).any);
  if (Array.isArray(oneOf)) checks.push(new Union(oneOf, compile, resolve).one);
  if (not !== undefined) {
    const forbidden = compile(not);
    checks.push((value, visit) => !fits(forbidden, value, visit) || fail(visit, "must not match the schema in `not`"));
  }
  if (condition !== undefined) {
    const [when, onTrue, onFalse] = [compile(condition), compile(then), compile(otherwise)];
    checks.push((value, visit) => (fits(when, value, visit) ? onTrue : onFalse)(value, visit));
  }
  return checks;
}

/** The branches of `anyOf` or `oneOf`. If a tag tells them apart, only those that may match the value's tag are tried. */
class Union {
  readonly #checks: readonly Check[];
  readonly #all: readonly number[];
  readonly #tags: Tags | undefined;

  constructor(branches: readonly unknown[], compile: Compile, resolve: Resolve) {
    this.#checks = branches.map(compile);
    this.#all = [...branches.keys()];
    this.#tags = tagsOf(branches.map(resolve));
  }

  readonly any: Check = (value, visit) =>
    this.#candidates(value).some((at) => fits(this.#checks[at]!, value, visit)) || this.#explain(value, visit);

  readonly one: Check = (value, visit) => {
    const fitting = this.#candidates(value).filter((at) => fits(this.#checks[at]!, value, visit)).length;
    if (fitting === 1) return true;
    if (fitting === 0) return this.#explain(value, visit);
    return fail(visit, `must match exactly one of the alternatives, but matches ${fitting}`);
  };

  /** Returns the positions of the branches that are not ruled out by the tag alone. */
  #candidates(value: unknown): readonly number[] {
    const tags = this.#tags;
    if (!tags || !isObject(value)) return this.#all;
    if (!Object.hasOwn(value, tags.name)) return tags.withoutTag;
    const tag = value[tags.name];
    if (typeof tag !== "string") return this.#all;
    return tags.byValue.get(tag)?.candidates ?? tags.others;
  }

  #explain(value: unknown, visit: Visit): false {
    const tags = this.#tags;
    if (!visit.problems) return false;
    if (!tags || !isObject(value)) return explain(this.#checks, value, visit);
    const checksAt = (places: readonly number[]): Check[] => places.map((at) => this.#checks[at]!);
    const tag = Object.hasOwn(value, tags.name) ? value[tags.name] : undefined;
    if (tag === undefined || tag === null) {
      const meant = tags.likelyWithoutTag(value);
      return meant === undefined ? failAt(visit, tags.name, "is required") : explain(checksAt([meant]), value, visit);
    }
    const meant = typeof tag === "string" ? tags.byValue.get(tag)?.meant : undefined;
    if (meant !== undefined) return explain(checksAt([meant]), value, visit);
    // A branch without constants may restrict the tag in another way, such as by a pattern.
    const others = checksAt(tags.others);
    const tagPath = pointerTo(visit, tags.name);
    const isTagWrong = others.every((check) => problemsOf(check, value, visit).some(({ path }) => path === tagPath));
    if (!isTagWrong) return explain(others, value, visit);
    checkAt(visit, tags.name, tag, (inner) => failChoice(visit, tags.allowed, inner));
    return false;
  }
}
