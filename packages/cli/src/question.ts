import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { user, type CreateResponse, type JsonSchema, type TextFormat } from "antiphon";
import type { Question } from "./answer.ts";
import { efforts, toolNames, type runCommand } from "./commands.ts";
import { oneOf, positive, UsageError, type Parsed } from "./options.ts";
import { builtInTools } from "./tools.ts";

/** The flags of `antiphon run`, as they were typed. */
export type RunFlags = Parsed<typeof runCommand.flags>["flags"];

const defaultSteps = 8;

/** What the command line asks for. */
export async function questionOf(flags: RunFlags, words: string[], signal: AbortSignal): Promise<Question> {
  const tools = (flags.tool ?? []).map((name) => builtInTools[oneOf("tool", name, toolNames)!]);
  const effort = oneOf("effort", flags.effort, efforts);
  const seconds = positive("timeout", flags.timeout);
  const maxSteps = positive("max-steps", flags["max-steps"], true) ?? defaultSteps;
  const request: CreateResponse = {
    ...(flags.instructions === undefined ? {} : { instructions: flags.instructions }),
    ...(effort && { reasoning: { effort } }),
    ...(flags.schema === undefined ? {} : { text: { format: await readSchema(flags.schema) } }),
    ...(tools.length > 0 && { tools: tools.map(({ definition }) => definition) }),
  };
  return {
    request: { ...request, input: [user(await promptOf(words))] },
    tools,
    maxSteps,
    options: { signal, ...(seconds === undefined ? {} : { timeouts: { total: seconds * 1000 } }) },
  };
}

async function promptOf(words: string[]): Promise<string> {
  const typed = words.join(" ");
  if (typed !== "" && typed !== "-") return typed;
  if (typed === "" && process.stdin.isTTY) throw new UsageError("there is no prompt: type one, or pipe it in");
  const piped = (await readAll(process.stdin)).trim();
  if (piped === "") throw new UsageError("the prompt is empty");
  return piped;
}

async function readSchema(path: string): Promise<TextFormat> {
  const name = basename(path, extname(path)).replaceAll(/[^\w-]/g, "_") || "answer";
  try {
    const schema: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw new Error("it is not a JSON object");
    return { type: "json_schema", name, schema: schema as JsonSchema };
  } catch (error) {
    throw new UsageError(`--schema cannot use ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
