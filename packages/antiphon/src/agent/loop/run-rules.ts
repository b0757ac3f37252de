import { callRules } from "../../core/call-rules.ts";
import { anything, func, limit, listOf, milliseconds, object, objectWith, rule, type Rules } from "../../core/options.ts";
import { isObject } from "../../model/guards.ts";
import type { RunOptions } from "./run-options.ts";

const isTool = (value: unknown): boolean => isObject(value) && ["type", "definition", "listTools"].some((name) => name in value);

/** A bare function, or an agent, is not a tool. */
const tool = rule("be a tool from `tool()`, `agent.asTool()` or `mcpServer()`", isTool);

export const runRules: Rules<RunOptions> = {
  ...callRules,
  tools: listOf(tool),
  maxSteps: limit(1),
  maxParallel: limit(1),
  toolTimeout: milliseconds,
  stopWhen: func,
  prepareStep: func,
  beforeTool: func,
  afterTool: func,
  context: anything,
  decisions: object,
  journal: objectWith("be a journal, such as `memoryJournal()`", "claim", "settle"),
  newId: func,
  now: func,
};
