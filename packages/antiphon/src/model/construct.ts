import type { InputContent } from "./content.ts";
import type { AssistantMessageParam, FunctionCallOutput, SystemMessageParam, UserMessageParam } from "./items.ts";
import type { FunctionTool, JsonSchema } from "./tools.ts";

/** Creates a user message: `user("Hello")`. */
export const user = (content: string | InputContent[]): UserMessageParam => ({ type: "message", role: "user", content });

/** Creates a system message: `system("Answer in French.")`. */
export const system = (content: string): SystemMessageParam => ({ type: "message", role: "system", content });

/** Creates a developer message: `developer("Answer in French.")`. */
export const developer = (content: string): SystemMessageParam => ({ type: "message", role: "developer", content });

/** Creates an assistant message: `assistant("Bonjour")`. */
export const assistant = (content: string): AssistantMessageParam => ({ type: "message", role: "assistant", content });

/** Creates the result of a function call: `functionCallOutput(call.call_id, "21 °C")`. */
export const functionCallOutput = (
  call_id: string,
  output: FunctionCallOutput["output"],
): Pick<FunctionCallOutput, "type" | "call_id" | "output"> => ({ type: "function_call_output", call_id, output });

/** Creates a function definition: `functionTool("clock", "Returns the time.", { type: "object", properties: {} })`. */
export const functionTool = (name: string, description: string, parameters: JsonSchema): FunctionTool => ({
  type: "function",
  name,
  description,
  parameters,
});
