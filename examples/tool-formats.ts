// Tools that were declared for another provider or by an MCP server work as they are, and yours can be declared anywhere.
import { toAnthropic, toChat, toMcp, tool, type McpToolDefinition } from "antiphon";

const declared: McpToolDefinition = {
  name: "search_notes",
  description: "Finds notes.",
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

// Each change that the strict form needed is told, and undone when the model calls.
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
