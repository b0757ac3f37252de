const schema = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: "array", items: { type: "number" } } },
  required: ["a"],
};
const tool = { type: "function", name: "f", description: "Does", parameters: schema, strict: true };
const picture = "data:image/png;base64,iVBORw0KGgo=";

const items: readonly object[] = [
  { type: "message", role: "developer", content: "Be brief." },
  {
    type: "message",
    role: "user",
    content: [
      { type: "input_text", text: "Hi" },
      { type: "input_image", image_url: picture, detail: "low" },
    ],
  },
  {
    type: "reasoning",
    id: "rs_1",
    summary: [{ type: "summary_text", text: "Hm" }],
    content: [{ type: "reasoning_text", text: "Hm" }],
    encrypted_content: "x",
  },
  {
    type: "message",
    role: "assistant",
    id: "msg_1",
    status: "completed",
    content: [
      {
        type: "output_text",
        text: "Yes",
        annotations: [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 1 }],
        logprobs: [],
      },
    ],
  },
  { type: "function_call", call_id: "c1", id: "fc_1", name: "f", arguments: '{"a":"b"}', status: "completed" },
  {
    type: "function_call_output",
    call_id: "c1",
    output: [
      { type: "input_text", text: "1" },
      { type: "input_image", image_url: picture },
    ],
  },
  { type: "custom_tool_call", call_id: "c2", name: "g", input: "x" },
  { type: "custom_tool_call_output", call_id: "c2", output: "y" },
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "q" } },
  { type: "mcp_call", id: "mcp_1", server_label: "a", name: "t", arguments: "{}", output: "1", error: null },
  { type: "compaction", id: "cmp_1", encrypted_content: "antiphon.summary.1:e30" },
  { role: "user", content: "Go on." },
];

const responses: readonly object[] = [
  { model: "offline", input: "Hi" },
  {
    model: "offline",
    input: items,
    instructions: "Be kind.",
    tools: [
      tool,
      { type: "custom", name: "g", format: { type: "grammar", syntax: "lark", definition: "start: /x/" } },
      { type: "web_search", user_location: { type: "approximate", country: "DE" } },
    ],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
    parallel_tool_calls: true,
    max_tool_calls: 3,
    text: { format: { type: "json_schema", name: "n", schema, strict: true }, verbosity: "low" },
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 2,
    max_output_tokens: 100,
    truncation: "auto",
    metadata: { a: "b" },
    service_tier: "default",
    safety_identifier: "s",
    user: "u",
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    prompt: { id: "p", version: "1", variables: { a: "b" } },
    context_management: [{ type: "compaction", compact_threshold: 1_000 }],
    seed: 1,
    stop: ["x"],
    stream_options: { include_obfuscation: false },
    store: false,
  },
  {
    model: "offline",
    stream: true,
    input: [{ role: "user", content: "Hi" }],
    text: { format: { type: "json_object" } },
    tool_choice: "required",
    tools: [tool],
  },
  {
    model: "offline",
    input: [
      { type: "additional_tools", tools: [{ type: "namespace", name: "n", tools: [{ type: "custom", name: "i" }] }] },
      { role: "user", content: "Hi" },
    ],
    tools: [
      { type: "namespace", name: "n", description: "Some", tools: [{ ...tool, name: "h" }] },
      { type: "mcp", server_label: "a", server_url: "https://a.example", allowed_tools: ["t"], require_approval: "never" },
      { type: "file_search", vector_store_ids: ["v"], filters: { type: "eq", key: "k", value: "v" } },
      { type: "code_interpreter", container: { type: "auto", file_ids: ["f"] } },
      { type: "image_generation", quality: "low", partial_images: 1 },
    ],
    tool_choice: "auto",
  },
  {
    model: "offline",
    input: "Hi",
    tools: [{ type: "namespace", name: "n", tools: [{ ...tool, name: "h" }] }],
    tool_choice: { type: "function", name: "h" },
  },
  { model: "offline", background: true, store: true, input: "Hi", metadata: { a: "b" } },
  { model: "offline", input: "Hi", previous_response_id: "resp_1", conversation: { id: "conv_1" } },
];

const chat: readonly object[] = [
  {
    model: "offline",
    messages: [
      { role: "system", content: "Be kind." },
      {
        role: "user",
        name: "u",
        content: [
          { type: "text", text: "Hi" },
          { type: "image_url", image_url: { url: picture, detail: "low" } },
          { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
          { type: "file", file: { file_data: picture, filename: "a.png" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        refusal: null,
        reasoning_content: "Hm",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "1" }] },
      { role: "assistant", content: [{ type: "text", text: "Yes" }] },
      { role: "user", content: "Go on." },
    ],
    tools: [{ type: "function", function: { name: "f", description: "Does", parameters: schema, strict: true } }],
    tool_choice: { type: "function", function: { name: "f" } },
    response_format: { type: "json_schema", json_schema: { name: "n", schema, strict: true } },
    reasoning_effort: "low",
    max_completion_tokens: 9,
    max_tokens: 9,
    n: 1,
    logprobs: true,
    top_logprobs: 1,
    logit_bias: {},
    stop: ["x"],
    stream_options: { include_usage: true },
    temperature: 1,
    metadata: { a: "b" },
    parallel_tool_calls: false,
    modalities: ["text"],
    verbosity: "low",
    user: "u",
  },
  { model: "offline", stream: true, messages: [{ role: "user", content: "Hi" }] },
];

const messages: readonly object[] = [
  {
    model: "offline",
    max_tokens: 9,
    system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          {
            type: "document",
            title: "T",
            source: { type: "text", media_type: "text/plain", data: "x" },
            citations: { enabled: true },
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm", signature: "s" },
          { type: "redacted_thinking", data: "x" },
          { type: "text", text: "Yes", citations: [] },
          { type: "tool_use", id: "t1", name: "f", input: { a: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", is_error: false, content: [{ type: "text", text: "1" }] },
          { type: "text", text: "Go on." },
        ],
      },
    ],
    tools: [
      { name: "f", description: "Does", input_schema: schema, cache_control: { type: "ephemeral" } },
      { type: "web_search_20250305", name: "web_search", max_uses: 1 },
    ],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 1_024 },
    stop_sequences: ["x"],
    temperature: 1,
    top_k: 5,
    top_p: 1,
    metadata: { user_id: "u" },
    service_tier: "auto",
    output_config: { effort: "low", format: { type: "json_schema", schema } },
  },
  { model: "offline", max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hi" }] },
];

const conversations: readonly object[] = [{ items, metadata: { a: "b" } }];

/** Good bodies for every route that takes one. */
export const seeds: Readonly<Record<string, readonly object[]>> = {
  "POST /v1/responses": responses,
  "POST /openai/v1/responses": responses,
  "POST /v1/responses/compact": responses,
  "POST /v1/responses/input_tokens": responses,
  "POST /v1/chat/completions": chat,
  "POST /v1/messages": messages,
  "POST /v1/embeddings": [{ model: "offline", input: ["a", "b"], encoding_format: "base64", dimensions: 8, user: "u" }],
  "POST /v1/conversations": conversations,
  "POST /v1/conversations/:id": [{ metadata: { a: "b" } }],
  "POST /v1/conversations/:id/items": conversations,
};
