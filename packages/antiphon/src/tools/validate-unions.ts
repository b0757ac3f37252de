import type { JsonObject } from "../model/guards.ts";
import { schemaList } from "./json-schema.ts";
import { fail, mustBe, type Check, type Problem, type Visit } from "./validate-visit.ts";

type Compile = (schema: unknown) => Check;

/** Checks without noting anything. */
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

/** A constant or a choice that is not met most likely marks another branch. */
const mismarked = /^must be (?:one of )?["\d{[-]/;

/** The branch that was most likely meant is the one whose type fits, whose marks fit, and with the fewest problems. */
function bestBranch(branches: readonly Problem[][]): Problem[] {
  const marks = (problems: Problem[]): number => problems.filter(({ message }) => mismarked.test(message)).length;
  return branches.reduce((best, problems) => {
    const difference = marks(problems) - marks(best) || problems.length - best.length;
    return difference < 0 ? problems : best;
  });
}

const depth = (pointer: string): number => pointer.split("/").length - 1;

/** Tells what is wrong with a value that fits no branch, as of the branch that was most likely meant. */
function explain(checks: readonly Check[], value: unknown, visit: Visit): false {
  if (!visit.problems) return false;
  const here = visit.path.length;
  const branches = checks.map((check) => problemsOf(check, value, visit)).filter((problems) => problems.length > 0);
  const likely = branches.filter((problems) => problems.some(({ path, types }) => !types || depth(path) > here));
  if (likely.length > 0) {
    visit.problems.push(...bestBranch(likely));
    return false;
  }
  const types = [...new Set(branches.flatMap(([problem]) => problem?.types ?? []))];
  return fail(visit, types.length > 0 ? mustBe(types, value) : "fits none of the alternatives", types);
}

/** `anyOf`, `oneOf`, `allOf`, `not` and `if`, as far as a schema has them. */
export function unionChecks(schema: JsonObject, compile: Compile): Check[] {
  const { anyOf, oneOf, allOf, not, if: condition, then, else: otherwise } = schema;
  const checks = schemaList(allOf).map(compile);
  if (Array.isArray(anyOf)) checks.push(anyCheck(anyOf.map(compile)));
  if (Array.isArray(oneOf)) checks.push(oneCheck(oneOf.map(compile)));
  if (not !== undefined) {
    const forbidden = compile(not);
    checks.push((value, visit) => !fits(forbidden, value, visit) || fail(visit, "is something that is ruled out here"));
  }
  if (condition !== undefined) {
    const [when, onTrue, onFalse] = [compile(condition), compile(then), compile(otherwise)];
    checks.push((value, visit) => (fits(when, value, visit) ? onTrue : onFalse)(value, visit));
  }
  return checks;
}

const anyCheck =
  (checks: readonly Check[]): Check =>
  (value, visit) =>
    checks.some((check) => fits(check, value, visit)) || explain(checks, value, visit);

const oneCheck =
  (checks: readonly Check[]): Check =>
  (value, visit) => {
    const fitting = checks.filter((check) => fits(check, value, visit)).length;
    if (fitting === 1) return true;
    return fitting === 0
      ? explain(checks, value, visit)
      : fail(visit, `fits ${fitting} of the alternatives; it must fit exactly one`);
  };
