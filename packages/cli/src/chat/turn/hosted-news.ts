import { isObject } from "antiphon";
import type { ToolEvent } from "antiphon/hosted";
import type { CallNews, CallState } from "./listener.ts";

const states: Readonly<Record<string, CallState>> = {
  in_progress: "running",
  searching: "running",
  interpreting: "running",
  generating: "running",
  partial_image: "running",
  completed: "done",
  failed: "failed",
  incomplete: "failed",
};

/** What a step of a tool at the provider says; nothing for calls that are answered on this side, which say it themselves. */
export function hostedNews(tool: string, step: ToolEvent): CallNews | undefined {
  const isEvent = step.type.startsWith("response.");
  if (step.item_id === undefined || answeredHere.test(step.type)) return undefined;
  const state = states[isEvent ? (step.type.split(".").at(-1) ?? "") : String(step["status"] ?? "completed")];
  if (isEvent) return state && { id: step.item_id, name: tool, state };
  const about = aboutOf(step);
  return { id: step.item_id, name: nameOf(tool, step), state: state ?? "done", ...(about && { about }), ...resultOf(step) };
}

const answeredHere =
  /^(?:response\.)?(?:local_shell|shell|apply_patch|computer)_|^mcp_approval_request|_output$|call_code|_arguments\./;

const nameOf = (tool: string, step: ToolEvent): string => (typeof step["name"] === "string" ? `${tool} ${step["name"]}` : tool);

/** What the tool was asked, wherever its item says so. */
function aboutOf(step: ToolEvent): string | undefined {
  const action = isObject(step["action"]) ? step["action"] : {};
  const queries = Array.isArray(step["queries"]) ? step["queries"].join("; ") : undefined;
  const said = [action["query"], action["url"], queries, step["code"], step["arguments"], step["server_label"]];
  return said.find((one): one is string => typeof one === "string" && one !== "");
}

function resultOf(step: ToolEvent): Pick<CallNews, "result"> {
  if (typeof step["error"] === "string") return { result: step["error"] };
  if (Array.isArray(step["tools"])) return { result: `${step["tools"].length} tools` };
  if (Array.isArray(step["results"]) && step["results"].length > 0) return { result: `${step["results"].length} results` };
  return typeof step["output"] === "string" ? { result: step["output"] } : {};
}
