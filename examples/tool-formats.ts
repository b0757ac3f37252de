// `tool` accepts tool definitions of other providers and of MCP servers, and converts them to each format.
import { toAnthropic, toChat, toMcp, tool, type McpToolDefinition } from "antiphon";

const declared: McpToolDefinition = {
  name: "search_notes",
  description: "Searches the notes.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string" },
      limit: { type: "integer", default: 10 },
      order: { oneOf: [{ const: "newest" }, { const: "oldest" }] },
    },
    required: ["query"],
  },
};

const search = tool<{ query: string; limit: number }>({
  definition: declared,
  run: ({ query, limit }) => `${limit} notes on ${query}`,
});

// `changes` lists what the strict form changed. `read` reverses these changes in the arguments of a call.
for (const { path, rule } of search.changes) console.log(rule, path || "/");
console.log(search.read('{"query":"tea","limit":null,"order":null}'));

for (const form of [toChat(search), toAnthropic(search), toMcp(search)]) console.log(Object.keys(form).join(", "));

// Prints:
//   closed /
//   optional-to-nullable /properties/limit
//   default-on-return /properties/limit/default
//   optional-to-nullable /properties/order
//   one-of-to-any-of /properties/order
//   { query: 'tea', limit: 10 }
//   type, function
//   name, description, strict, input_schema
//   name, description, inputSchema
