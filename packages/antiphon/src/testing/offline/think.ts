import { own } from "../../model/guards.ts";
import type { CreateResponse } from "../../model/index.ts";
import type { PlannedCall } from "./choose-calls.ts";
import type { Prompt } from "./read-prompt.ts";
import { counted, listed, quoteLast } from "./words.ts";

/** How many paragraphs an effort is worth. */
const efforts: Readonly<Record<string, number>> = { none: 0, minimal: 1, low: 1, medium: 2, high: 3, xhigh: 4 };

/** What the model thinks before it acts, in paragraphs; nothing where it was not asked to. */
export function think(request: CreateResponse, prompt: Prompt, calls: readonly PlannedCall[]): string[] {
  const { effort, summary } = request.reasoning ?? {};
  const length = effort ? (own(efforts, effort) ?? 2) : summary ? 2 : 0;
  const tools = request.tools?.length ?? 0;
  const { earlier, instructions, results, text } = prompt;
  return [
    `The user says ${quoteLast(text, 120)} ${conclusion(prompt, calls)}`,
    `I was given ${counted(tools, "tool")}, and have ${counted(results.length, "result")} from tools so far.`,
    `The user spoke ${counted(earlier.length, "time")} before. ${instructions.length === 0 ? "I have no instructions." : `My instructions are ${quoteLast(instructions.join(" "), 80)}`}`,
    "I checked it again: an offline model always reaches the same conclusion.",
  ].slice(0, length);
}

function conclusion({ orders, results }: Prompt, calls: readonly PlannedCall[]): string {
  if (calls.length > 0) return `I should call ${listed(calls.map(({ name, input }) => `${name} with ${input}`))}.`;
  if (orders.refuse !== undefined) return "I should decline.";
  return results.length > 0 ? "I have the results of the tools, so I can answer." : "I can answer this myself.";
}
