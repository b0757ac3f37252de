import { AntiphonError } from "../packages/antiphon/src/core/error.ts";
import type { Codec } from "../packages/antiphon/src/codecs/codec.ts";
import {
  assistant,
  developer,
  functionTool,
  user,
  type CreateResponse,
  type InputContent,
  type Include,
  type ReasoningEffort,
  type Tool,
} from "../packages/antiphon/src/model/index.ts";

/** Whether a codec sends a field, reports it as a loss, or throws `UNSUPPORTED`. */
export type Outcome = "supported" | "loss" | "error";

const weather = functionTool("weather", "Returns the weather.", {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
});
const clock = functionTool("clock", "Returns the time.", { type: "object", properties: {} });
const image: InputContent = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" };
const pdf = "data:application/pdf;base64,JVBERi0xLjQ=";
const call = { type: "function_call" as const, call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' };

const content = (part: InputContent): CreateResponse => ({ input: [user([{ type: "input_text", text: "Look." }, part])] });
const tool = (one: Tool): CreateResponse => ({ tools: [one] });
const include = (value: Include): CreateResponse => ({ include: [value], tools: [weather] });
const effort = (value: ReasoningEffort): CreateResponse => ({ reasoning: { effort: value } });

/** Requests with one field that some server does not support, by the name of the field. */
const fieldProbes = {
  temperature: { temperature: 0.5 },
  top_p: { top_p: 0.5 },
  presence_penalty: { presence_penalty: 0.5 },
  frequency_penalty: { frequency_penalty: 0.5 },
  seed: { seed: 7 },
  stop: { stop: ["END"] },
  max_output_tokens: { max_output_tokens: 256 },
  top_logprobs: { top_logprobs: 2 },
  metadata: { metadata: { run: "1" } },
  user: { user: "u1" },
  safety_identifier: { safety_identifier: "u1" },
  prompt_cache_key: { prompt_cache_key: "k1" },
  prompt_cache_retention: { prompt_cache_retention: "24h" },
  "service_tier: flex": { service_tier: "flex" },
  "store: true": { store: true },
  "truncation: auto": { truncation: "auto" },
  previous_response_id: { previous_response_id: "resp_1" },
  conversation: { conversation: "conv_1" },
  "background: true": { background: true },
  prompt: { prompt: { id: "pmpt_1" } },
  context_management: { context_management: [{ type: "compaction", compact_threshold: 100_000 }] },
  max_tool_calls: { max_tool_calls: 3, tools: [weather] },
  parallel_tool_calls: { parallel_tool_calls: false, tools: [weather] },
  "tool_choice: none": { tool_choice: "none", tools: [weather] },
  "tool_choice: required": { tool_choice: "required", tools: [weather] },
  "tool_choice: function": { tool_choice: { type: "function", name: "weather" }, tools: [weather, clock] },
  "tool_choice: allowed_tools": {
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "weather" }] },
    tools: [weather, clock],
  },
  "text.format: json_object": { text: { format: { type: "json_object" } } },
  "text.format: json_schema": { text: { format: { type: "json_schema", name: "place", schema: weather.parameters } } },
  "text.verbosity": { text: { verbosity: "low" } },
  "reasoning.effort: none": effort("none"),
  "reasoning.effort: minimal": effort("minimal"),
  "reasoning.effort: low": effort("low"),
  "reasoning.effort: medium": effort("medium"),
  "reasoning.effort: high": effort("high"),
  "reasoning.effort: xhigh": effort("xhigh"),
  "reasoning.summary": { reasoning: { summary: "auto" } },
  "include: message.output_text.logprobs": include("message.output_text.logprobs"),
  "include: web_search_call.results": include("web_search_call.results"),
  "include: web_search_call.action.sources": include("web_search_call.action.sources"),
  "include: file_search_call.results": include("file_search_call.results"),
  "include: code_interpreter_call.outputs": include("code_interpreter_call.outputs"),
  "tools: function": tool(weather),
  "tools: custom": tool({ type: "custom", name: "patch" }),
  "tools: custom with grammar": tool({
    type: "custom",
    name: "patch",
    format: {
      type: "grammar",
      syntax: "regex",
      definition: "a+",
    },
  }),
  "tools: namespace": tool({ type: "namespace", name: "home", tools: [weather] }),
  "tools: web_search": tool({ type: "web_search" }),
  "tools: file_search": tool({ type: "file_search", vector_store_ids: ["vs_1"] }),
  "tools: code_interpreter": tool({ type: "code_interpreter", container: { type: "auto" } }),
  "tools: image_generation": tool({ type: "image_generation" }),
  "tools: mcp": tool({ type: "mcp", server_label: "docs", server_url: "https://mcp.example", require_approval: "never" }),
  "tools: computer": tool({ type: "computer" }),
  "tools: shell": tool({ type: "shell" }),
  "tools: local_shell": tool({ type: "local_shell" }),
  "tools: apply_patch": tool({ type: "apply_patch" }),
} satisfies Record<string, CreateResponse>;

/** Requests with one item or part that some server does not support, by a description of it. */
export const inputProbes: Readonly<Record<string, CreateResponse>> = {
  image: content(image),
  "image by id": content({ type: "input_image", file_id: "file_1" }),
  file: content({ type: "input_file", filename: "a.pdf", file_data: pdf }),
  "file by URL": content({ type: "input_file", file_url: "https://files.example/a.pdf" }),
  "file by id": content({ type: "input_file", file_id: "file_1" }),
  audio: content({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }),
  video: content({ type: "input_video", video_url: "https://files.example/a.mp4" }),
  "image in a tool output": {
    input: [user("Hi"), call, { type: "function_call_output", call_id: "call_1", output: [image] }],
    tools: [weather],
  },
  "developer message": { input: [developer("Be brief."), user("Hi")] },
  "later developer message": { input: [user("Hi"), assistant("Hello."), developer("Be brief."), user("And?")] },
  "refusal in the history": {
    input: [user("Hi"), { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "No." }] }, user("And?")],
  },
  "reasoning in the history": {
    input: [
      user("Hi"),
      { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "A greeting." }] },
      call,
      { type: "function_call_output", call_id: "call_1", output: "Sunny." },
    ],
    tools: [weather],
  },
};

export const probes: Readonly<Record<string, CreateResponse>> = { ...fieldProbes, ...inputProbes };

/** Returns what a codec does with a probe. */
export function probe(codec: Codec, model: string | undefined, fields: CreateResponse): Outcome {
  const request = { model: model ?? "some-model", input: "Hi", ...fields };
  try {
    const { losses } = codec.encodeRequest({ request, newId: (prefix) => `${prefix}_1`, now: () => 0 });
    return losses.length > 0 ? "loss" : "supported";
  } catch (error) {
    if (error instanceof AntiphonError && error.code === "UNSUPPORTED") return "error";
    throw error;
  }
}
