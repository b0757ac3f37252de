/** A body that a route rejects: what is wrong, the body, the field that the error names, and a part of its message. */
export type BadBody = readonly [what: string, body: object, param: string, message: string];

const user = { role: "user", content: "Hi" };

const withInput = (...items: unknown[]): object => ({ input: items });
const withPart = (part: unknown): object => withInput({ role: "user", content: [part] });
const withTool = (tool: unknown): object => ({ input: "Hi", tools: [tool] });
const withFormat = (format: unknown): object => ({ input: "Hi", text: { format } });

const items: readonly BadBody[] = [
  [
    "an unknown role",
    withInput({ role: "wizard", content: "Hi" }),
    "input[0].role",
    'one of "user", "assistant", "system", "developer", not "wizard"',
  ],
  ["an unknown role in a later item", withInput(user, { role: "usr", content: "Hi" }), "input[1].role", 'Did you mean "user"?'],
  ["a message without a role", withInput({ content: "Hi" }), "input[0].role", "is required"],
  ["a message without content", withInput({ role: "user" }), "input[0].content", "is required"],
  [
    "a misspelt field of a message",
    withInput({ role: "user", contnet: "Hi" }),
    "input[0].contnet",
    "Did you mean `input[0].content`?",
  ],
  ["a misspelt type of a message", withInput({ type: "mesage", ...user }), "input[0].type", 'Did you mean "message"?'],
  [
    "a message whose content is a number",
    withInput({ role: "user", content: 5 }),
    "input[0].content",
    "a string or a list, not 5",
  ],
  ["an unknown part", withPart({ type: "input_txt", text: "Hi" }), "input[0].content[0].type", 'Did you mean "input_text"?'],
  ["a part without a type", withPart({ text: "Hi" }), "input[0].content[0].type", "is required"],
  ["a text part without text", withPart({ type: "input_text" }), "input[0].content[0].text", "is required"],
  [
    "a text part whose text is a list",
    withPart({ type: "input_text", text: ["Hi"] }),
    "input[0].content[0].text",
    "a string, not a list",
  ],
  [
    "a call without arguments",
    withInput({ type: "function_call", call_id: "c", name: "f" }),
    "input[0].arguments",
    "is required",
  ],
  [
    "a result whose output is a number",
    withInput({ type: "function_call_output", call_id: "c", output: 5 }),
    "input[0].output",
    "a string or a list",
  ],
  ["an item that is a string", withInput("Hi"), "input[0]", "an object, not a string"],
];

/** Bodies that the routes of the Responses API reject. */
export const badResponses: readonly BadBody[] = [
  ["no input", {}, "input", "`input` is required."],
  ["an input of null", { input: null }, "input", "a string or a list, not null"],
  ["a misspelt input", { inptu: "Hi" }, "inptu", "Unknown field `inptu`. Did you mean `input`?"],
  ["an input that is a number", { input: 5 }, "input", "a string or a list, not 5"],
  ...items,
  [
    "an unknown mode of tool choice",
    { input: "Hi", tool_choice: "banana" },
    "tool_choice",
    'one of "none", "auto", "required", not "banana"',
  ],
  ["a tool choice without a name", { input: "Hi", tool_choice: { type: "function" } }, "tool_choice.name", "is required"],
  ["a limit of no tokens", { input: "Hi", max_output_tokens: 0 }, "max_output_tokens", "at least 1, not 0"],
  ["a negative limit of tokens", { input: "Hi", max_output_tokens: -5 }, "max_output_tokens", "at least 1, not -5"],
  ["a limit in words", { input: "Hi", max_output_tokens: "many" }, "max_output_tokens", "a whole number, not a string"],
  ["a limit with a fraction", { input: "Hi", max_output_tokens: 1.5 }, "max_output_tokens", "a whole number, not 1.5"],
  ["an unknown effort", { input: "Hi", reasoning: { effort: "giant" } }, "reasoning.effort", '"max", not "giant"'],
  ["a misspelt effort", { input: "Hi", reasoning: { effort: "hihg" } }, "reasoning.effort", 'Did you mean "high"?'],
  ["a schema format without a schema", withFormat({ type: "json_schema", name: "n" }), "text.format.schema", "is required"],
  [
    "an unknown format",
    withFormat({ type: "xml" }),
    "text.format.type",
    'one of "text", "json_object", "json_schema", not "xml"',
  ],
  ["an unknown include", { input: "Hi", include: ["nope"] }, "include[0]", '"reasoning.encrypted_content"'],
  ["a high temperature", { input: "Hi", temperature: 9 }, "temperature", "at most 2, not 9"],
  ["an unknown truncation", { input: "Hi", truncation: "some" }, "truncation", 'one of "auto", "disabled"'],
  ["a stream of yes", { input: "Hi", stream: "yes" }, "stream", "true or false, not a string"],
  ["metadata with a number", { input: "Hi", metadata: { a: 1 } }, "metadata.a", "a string, not "],
  ["metadata with a name that is no word", { input: "Hi", metadata: { "a b": 1 } }, 'metadata["a b"]', "a string, not "],
  ["long metadata", { input: "Hi", metadata: { a: "x".repeat(513) } }, "metadata.a", "at most 512 characters"],
  ["a function without a name", withTool({ type: "function" }), "tools[0].name", "is required"],
  [
    "a misspelt kind of tool",
    withTool({ type: "functon", name: "f", parameters: {} }),
    "tools[0].type",
    'Did you mean "function"?',
  ],
  ["a tool without a type", withTool({ name: "f" }), "tools[0].type", "is required"],
  [
    "a tool in a namespace without a name",
    withTool({ type: "namespace", name: "n", tools: [{ type: "function" }] }),
    "tools[0].tools[0].name",
    "is required",
  ],
  [
    "an MCP server without a label",
    withTool({ type: "mcp", server_url: "https://a.example" }),
    "tools[0].server_label",
    "is required",
  ],
  ["a conversation without an id", { input: "Hi", conversation: {} }, "conversation.id", "is required"],
];

const chat = (fields: object): object => ({ messages: [user], ...fields });
const chatMessage = (...messages: unknown[]): object => ({ messages });

/** Bodies that Chat Completions reject. */
export const badChats: readonly BadBody[] = [
  ["no messages", {}, "messages", "`messages` is required."],
  ["misspelt messages", { mesages: [user] }, "mesages", "Unknown field `mesages`. Did you mean `messages`?"],
  ["no message", chatMessage(), "messages", "at least 1 entry"],
  ["an unknown role", chatMessage({ role: "wizard", content: "Hi" }), "messages[0].role", 'not "wizard"'],
  ["a message without a role", chatMessage({ content: "Hi" }), "messages[0].role", "is required"],
  ["a message without content", chatMessage({ role: "user" }), "messages[0].content", "is required"],
  [
    "an unknown part",
    chatMessage({ role: "user", content: [{ type: "txt" }] }),
    "messages[0].content[0].type",
    'Did you mean "text"?',
  ],
  ["a result without its call", chatMessage({ role: "tool", content: "1" }), "messages[0].tool_call_id", "is required"],
  [
    "a call without arguments",
    chatMessage({ role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f" } }] }),
    "messages[0].tool_calls[0].function.arguments",
    "is required",
  ],
  ["an unknown mode of tool choice", chat({ tool_choice: "banana" }), "tool_choice", 'not "banana"'],
  ["a limit of no tokens", chat({ max_tokens: 0 }), "max_tokens", "at least 1, not 0"],
  ["a negative limit of tokens", chat({ max_completion_tokens: -5 }), "max_completion_tokens", "at least 1, not -5"],
  ["an unknown effort", chat({ reasoning_effort: "giant" }), "reasoning_effort", 'not "giant"'],
  ["an unknown verbosity", chat({ verbosity: "loud" }), "verbosity", 'one of "low", "medium", "high", not "loud"'],
  ["two choices", chat({ n: 2 }), "n", "must be 1, not 2"],
  [
    "a schema format without a schema",
    chat({ response_format: { type: "json_schema", json_schema: { name: "n" } } }),
    "response_format.json_schema.schema",
    "is required",
  ],
  ["a function without a name", chat({ tools: [{ type: "function", function: {} }] }), "tools[0].function.name", "is required"],
  [
    "an unknown kind of tool",
    chat({ tools: [{ type: "functoin", function: { name: "f" } }] }),
    "tools[0].type",
    'Did you mean "function"?',
  ],
  ["metadata with a number", chat({ metadata: { a: 1 } }), "metadata.a", "a string, not "],
];

const message = (fields: object): object => ({ max_tokens: 9, messages: [user], ...fields });
const block = (value: unknown): object => message({ messages: [{ role: "user", content: [value] }] });

/** Bodies that the Messages API rejects. */
export const badMessages: readonly BadBody[] = [
  ["no messages", { max_tokens: 9 }, "messages", "`messages` is required."],
  ["misspelt messages", { max_tokens: 9, message: [user] }, "message", "Unknown field `message`. Did you mean `messages`?"],
  ["an unknown role", message({ messages: [{ role: "wizard", content: "Hi" }] }), "messages[0].role", 'not "wizard"'],
  ["an unknown block", block({ type: "txt", text: "Hi" }), "messages[0].content[0].type", 'Did you mean "text"?'],
  ["a text block without text", block({ type: "text" }), "messages[0].content[0].text", "is required"],
  [
    "a result without its call",
    block({ type: "tool_result", content: "1" }),
    "messages[0].content[0].tool_use_id",
    "is required",
  ],
  ["an image without a source", block({ type: "image" }), "messages[0].content[0].source", "is required"],
  ["a limit of no tokens", message({ max_tokens: 0 }), "max_tokens", "at least 1, not 0"],
  ["a tool choice in a word", message({ tool_choice: "banana" }), "tool_choice", "an object, not a string"],
  [
    "an unknown tool choice",
    message({ tool_choice: { type: "banana" } }),
    "tool_choice.type",
    'one of "auto", "any", "none", "tool"',
  ],
  ["a tool choice without a name", message({ tool_choice: { type: "tool" } }), "tool_choice.name", "is required"],
  ["an unknown effort", message({ output_config: { effort: "giant" } }), "output_config.effort", 'not "giant"'],
  [
    "an unknown kind of thinking",
    message({ thinking: { type: "on" } }),
    "thinking.type",
    'one of "enabled", "disabled", "adaptive"',
  ],
  [
    "a schema format without a schema",
    message({ output_config: { format: { type: "json_schema" } } }),
    "output_config.format.schema",
    "is required",
  ],
  ["a tool without a schema", message({ tools: [{ name: "f" }] }), "tools[0].input_schema", "is required"],
  ["a high temperature", message({ temperature: 2 }), "temperature", "at most 1, not 2"],
  ["a system prompt of blocks without text", message({ system: [{ type: "text" }] }), "system[0].text", "is required"],
];

/** Bodies that the other routes reject. `:id` stands for a conversation. */
export const badOthers: Readonly<Record<string, readonly BadBody[]>> = {
  "POST /v1/embeddings": [
    ["no input", {}, "input", "is required"],
    ["a misspelt input", { inputs: "Hi" }, "inputs", "Did you mean `input`?"],
    ["an empty text", { input: "" }, "input", "at least 1 character"],
    ["no text", { input: [] }, "input", "at least 1 entry"],
    ["tokens", { input: [1, 2] }, "input[0]", "a string, not "],
    ["no dimensions", { input: "Hi", dimensions: 0 }, "dimensions", "at least 1, not 0"],
    ["an unknown encoding", { input: "Hi", encoding_format: "hex" }, "encoding_format", 'one of "float", "base64", not "hex"'],
    ["a model that is a number", { input: "Hi", model: 5 }, "model", "a string, not "],
  ],
  "POST /v1/responses/compact": [
    ["no model", { input: "Hi" }, "model", "is required"],
    ["an unknown role", { model: "offline", ...withInput({ role: "wizard", content: "Hi" }) }, "input[0].role", 'not "wizard"'],
  ],
  "POST /v1/responses/input_tokens": [
    ["an unknown role", withInput({ role: "wizard", content: "Hi" }), "input[0].role", 'not "wizard"'],
  ],
  "POST /v1/conversations": [
    ["an unknown role", { items: [{ role: "wizard", content: "Hi" }] }, "items[0].role", 'not "wizard"'],
    ["items that are a string", { items: "Hi" }, "items", "a list, not a string"],
    [
      "seventeen pairs of metadata",
      { metadata: Object.fromEntries([..."abcdefghijklmnopq"].map((name) => [name, ""])) },
      "metadata",
      "at most 16 properties",
    ],
  ],
  "POST /v1/conversations/:id": [["no metadata", {}, "metadata", "is required"]],
  "POST /v1/conversations/:id/items": [
    ["no items", {}, "items", "is required"],
    ["misspelt items", { item: [] }, "item", "Did you mean `items`?"],
  ],
};
