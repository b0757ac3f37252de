import {
  AntiphonError,
  functionCallOutput,
  functionCalls,
  isTerminal,
  outcome,
  type CallOptions,
  type CreateResponse,
  type FunctionCall,
  type InputItem,
  type Respond,
  type ResponseEvent,
  type ResponseResource,
  type TerminalEvent,
} from "antiphon";
import type { BuiltInTool } from "./tools.ts";

/** What an answer is asked with. */
export interface Question {
  request: CreateResponse & { input: InputItem[] };
  tools: readonly BuiltInTool[];
  /** How many times the model may be asked. */
  maxSteps: number;
  options: CallOptions;
}

/**
 * Asks until the model calls no more tools, and passes every event on. A tool's result is told by an event of its own,
 * `antiphon:tool_result`. Returns the last response.
 */
export async function* answer(respond: Respond, question: Question): AsyncGenerator<ResponseEvent, ResponseResource> {
  const { request, maxSteps, options } = question;
  const input = [...request.input];
  for (let step = 1; ; step += 1) {
    const { response, sequence_number } = yield* ask(respond, { ...request, input }, options);
    const calls = outcome(response)?.state === "completed" ? functionCalls(response) : [];
    if (calls.length === 0) return response;
    if (step === maxSteps) throw new Error(`The model still calls tools at step ${maxSteps}; raise --max-steps.`);
    input.push(...response.output);
    for (const call of calls) {
      const output = resultOf(call, question.tools);
      yield { type: "antiphon:tool_result", sequence_number, call_id: call.call_id, name: call.name, output };
      input.push(functionCallOutput(call.call_id, output));
    }
  }
}

/** Passes one stream on, and gives its terminal event. */
async function* ask(
  respond: Respond,
  request: CreateResponse,
  options: CallOptions,
): AsyncGenerator<ResponseEvent, TerminalEvent> {
  let last: TerminalEvent | undefined;
  for await (const event of respond(request, options)) {
    if (isTerminal(event)) last = event;
    yield event;
  }
  if (!last) throw new AntiphonError("TRUNCATED", "The stream ended without a terminal event.");
  return last;
}

/** What a call gives; whatever goes wrong is a result too, so that the model can mend its ways. */
function resultOf(call: FunctionCall, tools: Question["tools"]): string {
  const tool = tools.find(({ definition }) => definition.name === call.name);
  if (!tool) return `Error: there is no tool named ${call.name}.`;
  try {
    return tool.run(JSON.parse(call.arguments));
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
