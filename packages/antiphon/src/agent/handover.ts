import type { InputItem } from "../model/index.ts";
import type { RunnableTool } from "../tools/tool.ts";
import type { Agent } from "./agent.ts";

/** The name of an agent in letters that the name of a tool may have. */
export const plainName = ({ name }: Agent): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_|_$/g, "");

/** The name of the tool that hands over to an agent. */
const transferName = (agent: Agent): string => `transfer_to_${plainName(agent)}`;

/** The tool by which a model hands the conversation to another agent. It does nothing: that it was called is what counts. */
export function transferTool(agent: Agent): RunnableTool {
  const name = transferName(agent);
  const about = agent.description ? ` ${agent.description}` : "";
  return {
    name,
    definition: {
      type: "function",
      name,
      description: `Transfers the conversation to ${agent.name}.${about}`,
      parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
      strict: true,
    },
    changes: [],
    read: () => ({}),
    run: () => `The conversation was transferred to ${agent.name}.`,
    idempotent: true,
  };
}

const callIn = (item: InputItem): { call_id: string; name: string } | undefined =>
  item.type === "function_call" && "name" in item ? item : undefined;
const answeredIn = (item: InputItem): string | undefined =>
  item.type === "function_call_output" && "output" in item ? item.call_id : undefined;

/**
 * Whose turn it is in a conversation that began with `first`. Who was handed the conversation is told by its items alone, so that
 * a run that is resumed elsewhere, or a later turn, goes on with the same agent.
 */
export function agentInCharge(first: Agent, items: readonly InputItem[]): Agent {
  const calls = new Map<string, string>();
  let agent = first;
  for (const item of items) {
    const call = callIn(item);
    if (call?.name.startsWith("transfer_to_")) calls.set(call.call_id, call.name);
    const answered = calls.get(answeredIn(item) ?? "");
    if (answered) agent = agent.handovers.find((other) => transferName(other) === answered) ?? agent;
  }
  return agent;
}
