// A remote MCP server whose tools the provider calls. `beforeTool` approves each call, as it does for local tools.
import { collect, run, text, type PendingCall } from "antiphon";
import { hostedMcp } from "antiphon/hosted";
import { scripted } from "antiphon/testing";

const ask = (id: string, name: string) => ({
  type: "mcp_approval_request" as const,
  id,
  server_label: "wiki",
  name,
  arguments: '{"page":"Oslo"}',
});
const model = scripted([
  [ask("mcpr_1", "read_page"), ask("mcpr_2", "delete_page")],
  [
    {
      type: "mcp_call",
      id: "mcp_1",
      server_label: "wiki",
      name: "read_page",
      arguments: '{"page":"Oslo"}',
      output: "Oslo is the capital of Norway.",
      approval_request_id: "mcpr_1",
    },
    { role: "assistant", content: "I read the page and deleted nothing." },
  ],
]);

const beforeTool = ({ type, name, written }: PendingCall) => {
  if (type !== "mcp_approval_request") return;
  const allowed = name.startsWith("read_");
  console.log(`${allowed ? "allowed" : "declined"}: ${name} ${String(written)}`);
  return allowed ? ({ action: "continue" } as const) : ({ action: "refuse", reason: "This agent only reads." } as const);
};

const tools = [hostedMcp({ label: "wiki", url: "https://wiki.example/mcp", approval: "always" })];
const response = await collect(run(model, { input: "What is Oslo?", tools }, { beforeTool }));

for (const item of response.output) if (item.type === "mcp_call") console.log(`${item.name}: ${item.output}`);
console.log(text(response));

// Prints:
//   allowed: read_page {"page":"Oslo"}
//   declined: delete_page {"page":"Oslo"}
//   read_page: Oslo is the capital of Norway.
//   I read the page and deleted nothing.
