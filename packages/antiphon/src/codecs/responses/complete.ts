import { blankResponse } from "../../core/blank-response.ts";
import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { ContentPart, Item, ResponseResource, Usage } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";

/** Told of every rule that had to be put right. */
export type Report = (rule: string) => void;

const idPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
  web_search_call: "ws",
  file_search_call: "fs",
  code_interpreter_call: "ci",
  image_generation_call: "ig",
  mcp_call: "mcp",
};

/** Gives an item the fields that the rest of the library counts on. Changes it in place: it was parsed a moment ago and is nobody else's. */
export function completeItem(item: JsonObject, ctx: Ctx, report: Report): Item {
  const type = typeof item["type"] === "string" ? item["type"] : "message";
  if (typeof item["id"] !== "string") {
    item["id"] = ctx.newId(own(idPrefixes, type) ?? "item");
    report("item-id-missing");
  }
  if (type === "message") {
    if (!Array.isArray(item["content"])) item["content"] = messageContent(item["content"], report);
    item["role"] ??= "assistant";
  }
  if (type === "reasoning" && !Array.isArray(item["summary"])) {
    item["summary"] = [];
    report("summary-missing");
  }
  completeParts(item["content"], report);
  completeParts(item["summary"], report);
  // Checked as far as the fold reads it; whatever else the item holds is passed on.
  return item as unknown as Item;
}

/** What an item of a type has, beside its id and status, when a server forgot to announce it. */
const blankFields: Readonly<Record<string, JsonObject>> = {
  message: { role: "assistant", content: [] },
  reasoning: { summary: [] },
  function_call: { call_id: "", name: "", arguments: "" },
  custom_tool_call: { call_id: "", name: "", input: "" },
  mcp_call: { server_label: "", name: "", arguments: "" },
  code_interpreter_call: { code: "", container_id: "", outputs: null },
};

/** An item that stands in for one that was never announced. */
export const blankItem = (type: string, id: unknown): JsonObject => ({
  type,
  id,
  ...structuredClone(own(blankFields, type)),
  status: "in_progress",
});

function messageContent(content: unknown, report: Report): unknown[] {
  report("content-missing");
  return typeof content === "string" ? [{ type: "output_text", text: content }] : [];
}

function completeParts(list: unknown, report: Report): void {
  if (Array.isArray(list)) for (const part of list) if (isObject(part)) completePart(part, report);
}

/** The same for a part. */
export function completePart(part: JsonObject, report: Report): ContentPart {
  if (part["type"] === "output_text" && !Array.isArray(part["annotations"])) {
    part["annotations"] = [];
    report("annotations-missing");
  }
  if (part["type"] === "refusal" ? typeof part["refusal"] !== "string" : "text" in part && typeof part["text"] !== "string") {
    part[part["type"] === "refusal" ? "refusal" : "text"] = "";
    report("text-missing");
  }
  return part as unknown as ContentPart;
}

/** Gives a response every field that the specification requires. */
export function completeResponse(raw: unknown, ctx: Ctx, report: Report): ResponseResource {
  const response: JsonObject = isObject(raw) ? raw : {};
  if (typeof response["id"] !== "string" || response["id"] === "") response["id"] = ctx.newId("resp");
  if (typeof response["created_at"] !== "number") response["created_at"] = ctx.now();
  if (!Array.isArray(response["output"])) response["output"] = [];
  fillIn(response, blankResponse("", 0, ctx.request), report);
  if (response["usage"] !== null) response["usage"] = completeUsage(response["usage"]);
  return response as unknown as ResponseResource;
}

function fillIn(response: JsonObject, blank: ResponseResource, report: Report): void {
  for (const field in blank) {
    const value = blank[field as keyof ResponseResource];
    if (response[field] !== undefined && (response[field] !== null || value === null)) continue;
    response[field] = value;
    report("response-field-missing");
  }
}

const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Gives a usage report its details; unknown figures are kept. */
function completeUsage(raw: unknown): Usage {
  const usage: JsonObject = isObject(raw) ? raw : {};
  const input = isObject(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  const output = isObject(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  input["cached_tokens"] = count(input["cached_tokens"]);
  output["reasoning_tokens"] = count(output["reasoning_tokens"]);
  usage["input_tokens"] = count(usage["input_tokens"]);
  usage["output_tokens"] = count(usage["output_tokens"]);
  if (typeof usage["total_tokens"] !== "number")
    usage["total_tokens"] = count(usage["input_tokens"]) + count(usage["output_tokens"]);
  usage["input_tokens_details"] = input;
  usage["output_tokens_details"] = output;
  return usage as unknown as Usage;
}
