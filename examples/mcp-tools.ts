// An agent that uses the tools of an MCP server. With the argument `serve`, this program is the server.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { Agent } from "antiphon";
import { mcpServer } from "antiphon/mcp";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const program = fileURLToPath(import.meta.url);

async function serve(): Promise<void> {
  const server = new McpServer({ name: "weather-server", version: "1.0.0" });
  const inputSchema = z.object({ city: z.string() });
  server.registerTool("weather", { description: "Returns the weather in a city.", inputSchema }, ({ city }) => ({
    content: [{ type: "text", text: `${city}: 4 °C and rain` }],
  }));
  server.registerTool("delete-all", { description: "Deletes all weather records." }, () => ({ content: [] }));
  await server.connect(new StdioServerTransport());
}

async function ask(): Promise<void> {
  const args = [program, "serve"];
  const server = mcpServer({ command: process.execPath, args, prefix: "sky", deny: ["delete-all"] });
  try {
    console.log((await server.listTools()).map(({ name }) => name).join(", "));
    const agent = new Agent({ model: "offline", tools: [server] });
    const reply = await agent.send("What is the weather in Oslo?");
    console.log(reply.text);
  } finally {
    await server.close();
  }
}

await (process.argv[2] === "serve" ? serve() : ask());

// Prints:
//   sky_weather
//   The sky_weather tool says: Oslo: 4 °C and rain
