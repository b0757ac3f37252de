import { AntiphonError } from "../../core/error.ts";
import type { RunnableTool, ToolContext } from "../../tools/tool.ts";
import { asksConsent, needsLook } from "./calls.ts";
import { hook, wordsOf } from "./failures.ts";
import type { ToolFailure } from "./run-events.ts";
import type { Decision, PendingCall, RunOptions } from "./run-options.ts";
import type { ToolSet } from "./tool-set.ts";

/** What is to be done about a call. */
export type Verdict =
  | { type: "run"; tool: RunnableTool; input: unknown }
  /** It is answered without running. */
  | { type: "value"; value: unknown; status: "ok" | "replaced" }
  | { type: "failure"; text: string; status: ToolFailure }
  | { type: "pause" };

const pause: Verdict = { type: "pause" };
const cutOff = "The call was cut off before it was complete and did not run.";

/**
 * What is to be done about a call: a decision of the caller's comes first, then the hook's; without either, a tool that needs
 * approval waits for it.
 */
export async function decide(
  call: PendingCall,
  decided: Decision | undefined,
  context: ToolContext,
  tools: ToolSet,
  { beforeTool }: Pick<RunOptions, "beforeTool">,
): Promise<Verdict> {
  if (call.item.status === "incomplete") return { type: "failure", text: cutOff, status: "not_run" };
  const decision = decided ?? (beforeTool ? await hook("beforeTool", () => beforeTool(call, context)) : undefined) ?? undefined;
  if (decision !== undefined) checkDecision(decision, call);
  if (decision?.action === "pause") return pause;
  if (decision?.action === "replace") return { type: "value", value: decision.output, status: "replaced" };
  if (decision?.action === "refuse") return { type: "failure", text: refusal(decision.reason), status: "refused" };
  if (asksConsent(call)) return decision ? { type: "value", value: undefined, status: "ok" } : pause;
  const tool = tools.find(call);
  if (tool) return readied(call, tool, decision, context);
  return tools.knows(call) ? pause : { type: "failure", text: `Error: ${tools.unknown(call)}`, status: "error" };
}

const actions: Readonly<Record<Decision["action"], true>> = { continue: true, replace: true, refuse: true, pause: true };

/** Decisions may come as text from elsewhere: what nobody can read must not pass for an approval. */
function checkDecision(decision: Decision, { call_id, name }: PendingCall): void {
  if (Object.hasOwn(actions, decision.action)) return;
  const message = `The decision about the call "${call_id}" of "${name}" is invalid: \`action\` must be one of ${Object.keys(actions).join(", ")}.`;
  throw new AntiphonError("BAD_REQUEST", message, { param: "decisions" });
}

const refusal = (reason: string | undefined): string =>
  reason ? `The call was declined and did not run: ${reason}` : "The call was declined and did not run.";

/** Reads the input, and asks the tool whether somebody must agree. */
async function readied(
  call: PendingCall,
  tool: RunnableTool,
  decision: { input?: unknown } | undefined,
  context: ToolContext,
): Promise<Verdict> {
  try {
    const input = await tool.read(decision?.input === undefined ? call.written : decision.input);
    const waits = !decision && (needsLook(call) || Boolean(await tool.needsApproval?.(input, context)));
    return waits ? pause : { type: "run", tool, input };
  } catch (thrown) {
    return { type: "failure", text: wordsOf(thrown), status: "error" };
  }
}
