import { AntiphonError } from "../core/error.ts";
import type { JsonSchema } from "../model/index.ts";
import { pointerStep } from "./json-schema.ts";
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from "./standard-schema.ts";
import type { StrictForm } from "./strict.ts";
import { SchemaScope } from "./validate.ts";
import type { Problem } from "./validate-visit.ts";

const mostProblems = 10;

/** An error whose message tells the model what to write instead. */
function refusal(name: string, problems: readonly Problem[]): AntiphonError {
  const lines = problems.slice(0, mostProblems).map(({ path, message }) => `- ${path || "/"}: ${message}`);
  if (problems.length > mostProblems) lines.push(`- and ${problems.length - mostProblems} more`);
  const message = `The arguments of "${name}" do not match its schema:\n${lines.join("\n")}\nCorrect the arguments and call the tool again.`;
  return new AntiphonError("BAD_REQUEST", message, { param: problems[0]?.path || "/" });
}

/** What the model wrote as a value. Nothing at all, null too, is an object without properties. */
function parse(name: string, written: unknown): unknown {
  if (typeof written !== "string") return written ?? {};
  if (written.trim() === "") return {};
  try {
    return (JSON.parse(written) as unknown) ?? {};
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The arguments of "${name}" are not valid JSON: ${reason}. Call the tool again with one JSON object.`;
    throw new AntiphonError("BAD_REQUEST", message, { param: "/", cause });
  }
}

const problemOf = ({ message, path = [] }: StandardIssue): Problem => {
  const steps = path.map((step) => (typeof step === "object" ? step.key : step));
  return { path: steps.map((step) => pointerStep(typeof step === "number" ? step : String(step))).join(""), message };
};

function outcome(name: string, result: StandardResult<unknown>): unknown {
  if (result.issues) throw refusal(name, result.issues.map(problemOf));
  return result.value;
}

/**
 * Reads what a model wrote for a tool: JSON text, or a value; the form's changes undone; checked against the schema that the tool was
 * defined with.
 */
export function argumentsReader(
  name: string,
  form: StrictForm,
  schema: StandardSchema | JsonSchema,
): (written: unknown) => unknown {
  const restored = (written: unknown): unknown => {
    const value = parse(name, written);
    try {
      return form.restore(value);
    } catch {
      // Nothing in there throws but the stack, when it runs out.
      throw refusal(name, [{ path: "", message: "is nested too deeply" }]);
    }
  };
  if (isStandardSchema(schema)) {
    const { validate } = schema["~standard"];
    return (written) => {
      const result = validate(restored(written));
      return result instanceof Promise ? result.then((settled) => outcome(name, settled)) : outcome(name, result);
    };
  }
  const scope = new SchemaScope(schema);
  return (written) => {
    const value = restored(written);
    const problems = scope.problems(schema, value);
    if (problems.length > 0) throw refusal(name, problems);
    return value;
  };
}
