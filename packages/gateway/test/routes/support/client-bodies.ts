/** A body as a client sends it, and the route that it goes to. */
export interface ClientBody {
  route: string;
  body: object;
}

const picture = "data:image/png;base64,iVBORw0KGgo=";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const text = (content: string): object => ({ role: "user", content });

const responses = (body: object): ClientBody => ({ route: "POST /openai/v1/responses", body: { model: "offline", ...body } });
const chat = (body: object): ClientBody => ({ route: "POST /v1/chat/completions", body: { model: "offline", ...body } });
const messages = (body: object): ClientBody => ({
  route: "POST /v1/messages",
  body: { model: "offline", max_tokens: 32_000, ...body },
});

const called = [
  { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}', status: "completed" },
  { type: "function_call_output", call_id: "call_1", output: "Sunny" },
];

const openai: Readonly<Record<string, ClientBody>> = {
  "openai: a string": responses({ input: "Hello" }),
  "openai: typed output": responses({
    input: [{ role: "system", content: "Extract." }, text("Oslo")],
    text: { format: { type: "json_schema", name: "place", strict: true, schema } },
    temperature: null,
    metadata: null,
    tools: [],
  }),
  "openai: items of an earlier answer": responses({
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] },
      {
        id: "msg_1",
        type: "message",
        status: "completed",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "Hi", annotations: [], logprobs: [] }],
      },
      { id: "rs_1", type: "reasoning", summary: [], encrypted_content: null, status: null },
      ...called,
      text("Again"),
    ],
    store: false,
  }),
  "openai: files and images": responses({
    input: [
      {
        role: "user",
        content: [
          { type: "input_image", image_url: picture, file_id: null, detail: "auto" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" },
          { type: "input_text", text: "What is this?" },
        ],
      },
    ],
  }),
  "openai: hosted tools": responses({
    input: "Search",
    tools: [
      { type: "web_search_preview" },
      { type: "web_search", filters: { allowed_domains: ["a.example"] }, search_context_size: "low" },
      { type: "file_search", vector_store_ids: ["vs_1"], max_num_results: 3 },
      { type: "code_interpreter", container: { type: "auto" } },
      { type: "mcp", server_label: "a", server_url: "https://a.example/mcp", require_approval: "never" },
      { type: "image_generation" },
      { type: "computer_use_preview", display_width: 1, display_height: 1, environment: "browser" },
    ],
    include: ["web_search_call.action.sources", "file_search_call.results"],
    tool_choice: { type: "web_search_preview" },
  }),
  "openai: fields that the gateway does not know": responses({
    input: "Hello",
    moderation: { policy: "default" },
    prompt_cache_options: { mode: "auto" },
    reasoning: { effort: "max", summary: "auto", context: "auto" },
  }),
  "openai: allowed tools and a custom tool": responses({
    input: "Hello",
    tools: [
      { type: "function", name: "weather", description: null, parameters: schema, strict: true },
      { type: "custom", name: "code", format: { type: "grammar", syntax: "regex", definition: "a+" } },
    ],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "weather" }] },
  }),
  "openai: an item type of a later API": responses({ input: [text("Hello"), { type: "configuration_update", settings: {} }] }),
  "openai: chat": chat({
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hello" }], name: "ann" },
    ],
    max_completion_tokens: 100,
    reasoning_effort: "low",
    store: true,
    metadata: { run: "1" },
    prediction: { type: "content", content: "Hi" },
    logit_bias: { "50256": -100 },
    modalities: ["text"],
  }),
  "openai: a chat with tools": chat({
    messages: [
      text("Weather?"),
      {
        role: "assistant",
        content: null,
        refusal: null,
        annotations: [],
        audio: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "Sunny" },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      text("Again"),
    ],
    tools: [{ type: "function", function: { name: "weather", parameters: schema, strict: null } }],
    tool_choice: { type: "function", function: { name: "weather" } },
    parallel_tool_calls: false,
    stream: true,
    stream_options: { include_usage: true },
  }),
  "openai: the functions of old clients": chat({
    messages: [
      text("Weather?"),
      { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
      { role: "function", name: "weather", content: "Sunny" },
    ],
    functions: [{ name: "weather", description: "Tells", parameters: schema }],
    function_call: "auto",
    max_tokens: 50,
    n: 1,
    stop: null,
  }),
};

const agents: Readonly<Record<string, ClientBody>> = {
  "Codex: a turn": responses({
    instructions: "You are a coding agent.",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "<permissions>" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Fix it." }] },
      { type: "reasoning", summary: [{ type: "summary_text", text: "Look" }], content: null, encrypted_content: null },
      { type: "function_call", name: "exec_command", arguments: "{}", call_id: "call_1" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "done" },
          { type: "input_image", image_url: picture },
        ],
      },
      { type: "custom_tool_call", status: "completed", call_id: "call_2", name: "apply_patch", input: "*** Begin Patch" },
      { type: "custom_tool_call_output", call_id: "call_2", output: "ok" },
      { type: "local_shell_call", id: null, call_id: "call_3", status: "completed", action: { type: "exec", command: ["ls"] } },
      { type: "web_search_call", status: "completed", action: { type: "search", query: "q" } },
    ],
    tools: [
      { type: "function", name: "exec_command", description: "Runs", strict: false, parameters: schema },
      {
        type: "custom",
        name: "apply_patch",
        description: "Edits",
        format: { type: "grammar", syntax: "lark", definition: "start: /x/" },
      },
      { type: "web_search", external_web_access: false },
      {
        type: "namespace",
        name: "browser",
        description: "Browses",
        tools: [{ type: "function", name: "open", parameters: schema }],
      },
      { type: "local_shell" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "0199",
    service_tier: "priority",
    text: { verbosity: "low" },
    client_metadata: { session: "s" },
  }),
  "Claude Code: a turn": messages({
    system: [
      { type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Be careful.", cache_control: { type: "ephemeral", ttl: "1h" } },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>" },
          { type: "text", text: "Fix it.", cache_control: { type: "ephemeral" } },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Look", signature: "sig" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [
              { type: "text", text: "a.ts" },
              { type: "tool_reference", tool_name: "Read" },
            ],
            is_error: false,
          },
        ],
      },
    ],
    tools: [
      { name: "Bash", description: "Runs", input_schema: schema, eager_input_streaming: true, defer_loading: true },
      { type: "web_search_20250305", name: "web_search", max_uses: 8 },
    ],
    metadata: { user_id: "user_1" },
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    speed: "fast",
    stream: true,
  }),
  "Agents SDK: a turn": responses({
    instructions: "Help.",
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hi", providerData: {} }] }, ...called],
    tools: [{ type: "function", name: "weather", description: "Tells", parameters: schema, strict: true }],
    text: { format: { type: "text" } },
    include: [],
    top_logprobs: 2,
    truncation: "auto",
    stream: false,
  }),
  "Cline: a chat": chat({
    messages: [
      { role: "system", content: [{ type: "text", text: "You are Cline.", cache_control: { type: "ephemeral" } }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "image_url", image_url: { url: picture } },
        ],
      },
      { role: "assistant", content: "", reasoning_details: [{ type: "reasoning.text", text: "Hm", index: 0 }] },
      text("Go on"),
    ],
    temperature: 0,
    top_k: 40,
    provider: { sort: "price" },
    transforms: [],
    stream: true,
    stream_options: { include_usage: true },
  }),
};

const toolkits: Readonly<Record<string, ClientBody>> = {
  "AI SDK: Responses": responses({
    input: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "output_text", text: "Hi" }], id: "msg_1" },
      { type: "item_reference", id: "msg_1" },
      text("Again"),
    ],
    max_output_tokens: 100,
    text: { verbosity: "high", format: { type: "json_object" } },
    reasoning: { effort: "none" },
    safety_identifier: "s",
    stream: true,
  }),
  "AI SDK: chat": chat({
    messages: [text("Hi"), { role: "assistant", content: "Hello", tool_calls: undefined }, text("Again")],
    response_format: { type: "json_schema", json_schema: { schema, strict: true, name: "response", description: undefined } },
    seed: 1,
  }),
  "AI SDK: Messages": messages({
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
            title: "a.pdf",
            citations: { enabled: true },
          },
        ],
      },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    tools: [{ name: "weather", description: "Tells", input_schema: schema, strict: true }],
    temperature: 0.5,
    top_k: 10,
    stop_sequences: ["END"],
  }),
  "LangChain: a chat": chat({
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c", type: "function", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "tool", content: "Sunny", tool_call_id: "c", name: "weather" },
    ],
    temperature: 1,
    top_p: 1,
    frequency_penalty: 0,
    presence_penalty: 0,
    n: 1,
    stream: false,
  }),
  "LangChain: embeddings": { route: "POST /v1/embeddings", body: { input: ["a", "b"], encoding_format: "base64" } },
  "Anthropic: the smallest request": messages({ messages: [text("Hi")] }),
  "Anthropic: betas": messages({
    messages: [
      text("Search"),
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
          { type: "text", text: "Found." },
          { type: "compaction", content: "Summary" },
        ],
      },
      { role: "user", content: [{ type: "search_result", source: "a", title: "A", content: [{ type: "text", text: "x" }] }] },
    ],
    tools: [
      { type: "bash_20250124", name: "bash" },
      { type: "mcp_toolset", mcp_server_name: "a", default_config: { enabled: false } },
      { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
    ],
    mcp_servers: [{ type: "url", url: "https://a.example", name: "a" }],
    container: { skills: [] },
    inference_geo: "us",
    system: "Be brief.",
    service_tier: null,
  }),
  "Anthropic: counting tokens": {
    route: "POST /v1/messages/count_tokens",
    body: { model: "offline", messages: [text("Hi")], thinking: { type: "enabled", budget_tokens: 1024 } },
  },
};

/** Requests of many clients, written after the documentation of their APIs. */
export const clientBodies: Readonly<Record<string, ClientBody>> = { ...openai, ...agents, ...toolkits };
