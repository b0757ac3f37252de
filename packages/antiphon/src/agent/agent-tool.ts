import { AntiphonError } from "../core/error.ts";
import { anyText, func, milliseconds, rule, yesOrNo, type Rules } from "../core/options.ts";
import { isObject } from "../model/guards.ts";
import type { JsonSchema, Usage } from "../model/index.ts";
import { isToolName, tool } from "../tools/define.ts";
import { isStandardSchema, type StandardSchema } from "../tools/standard-schema.ts";
import type { RunnableTool, ToolContext } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";
import { plainName } from "./handover.ts";
import type { AgentInput } from "./input-items.ts";
import type { Reply } from "./reply.ts";
import { RunError } from "./run-error.ts";

/** How an agent looks to the model of another that may use it. */
export interface AgentToolOptions {
  /** The agent's own where left out, made fit: `My Helper` is called `my_helper`. */
  name?: string;
  description?: string;
  /** What the other model has to say; a `task` in words where left out. */
  input?: StandardSchema | JsonSchema;
  /** Makes what the agent is told of that; the task, or the input as JSON, where left out. */
  prompt?(input: unknown): AgentInput;
  /** Whether somebody must agree before it runs. */
  approval?: boolean;
  /** Milliseconds after which it is given up; for ever where left out, since the agent has limits of its own. */
  timeout?: number;
  /** Tells the events of its run as the progress of the call. */
  events?: boolean;
}

export const agentToolRules: Rules<AgentToolOptions> = {
  name: anyText,
  description: anyText,
  input: rule("be a schema", (value) => isStandardSchema(value) || isObject(value)),
  prompt: func,
  approval: yesOrNo,
  timeout: milliseconds,
  events: yesOrNo,
};

/** What a run inside a run took. */
export interface NestedRun {
  usage: Usage;
  cost?: number;
}

const done = "antiphon:agent_done";

const task: JsonSchema = {
  type: "object",
  properties: { task: { type: "string", description: "The task, with all information that it requires." } },
  required: ["task"],
  additionalProperties: false,
};

/** An agent as a tool of another. */
export function agentTool(agent: Agent, options: AgentToolOptions): RunnableTool {
  const { input = task, prompt = spoken, approval, timeout = 0, events = false } = options;
  const shared = {
    name: options.name ?? nameOf(agent),
    description: options.description ?? agent.description,
    run: (said: unknown, context: ToolContext) => perform(agent, prompt(said), context, events),
    approval,
    timeout,
  };
  return isStandardSchema(input) ? tool({ ...shared, input }) : tool({ ...shared, input });
}

// What has no letters left is told as it is, as the name that will not do.
const nameOf = (agent: Agent): string => (isToolName(agent.name) ? agent.name : plainName(agent) || agent.name);

const spoken = (input: unknown): string =>
  isObject(input) && typeof input["task"] === "string" && Object.keys(input).length === 1 ? input["task"] : JSON.stringify(input);

/** Runs the agent. What it took is told as progress, so that whoever runs this can add it up. */
async function* perform(
  agent: Agent,
  input: AgentInput,
  { signal, context }: ToolContext,
  events: boolean,
): AsyncGenerator<unknown, unknown> {
  const stream = agent.stream(input, { signal, context });
  const outcome = stream.reply.catch((thrown: unknown) => thrown);
  if (events) for await (const event of stream) yield event;
  const ended = await outcome;
  const reply = ended instanceof RunError ? ended.reply : ended;
  if (isReply(reply)) yield { type: done, agent: agent.name, usage: reply.usage, cost: reply.cost };
  if (!isReply(ended)) throw ended;
  return answerOf(agent, ended);
}

const isReply = (value: unknown): value is Reply => isObject(value) && "response" in value && "usage" in value;

function answerOf(agent: Agent, reply: Reply): unknown {
  const [waiting] = reply.pending;
  if (waiting)
    throw new AntiphonError(
      "UNSUPPORTED",
      `The agent "${agent.name}" paused because its call of "${waiting.name}" requires a decision. An agent used as a tool cannot pause.`,
    );
  if (reply.finish === "refusal") return `${agent.name} declined: ${reply.refusal}`;
  return agent.options.output ? reply.output : reply.text;
}

/** What a piece of progress tells of an agent that ran as a tool, if that is what it is. */
export const nestedIn = (data: unknown): NestedRun | undefined =>
  // Only an agent's tool tells this, and it tells it in this form.
  isObject(data) && data["type"] === done && isObject(data["usage"]) ? (data as unknown as NestedRun) : undefined;
