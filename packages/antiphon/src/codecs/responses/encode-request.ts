import type { Loss } from "../../core/loss.ts";
import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem } from "../../model/index.ts";
import type { Ctx, EncodedRequest } from "../codec.ts";
import type { ResponsesDialect } from "./dialect.ts";

// Fields that other wires have and this one has not.
const foreign: readonly string[] = ["seed", "stop"];

/** The request as a server of this dialect takes it. The caller's request is never changed. */
export function encodeRequest({ request }: Ctx, dialect: ResponsesDialect): EncodedRequest {
  const losses: Loss[] = [];
  const body: CreateResponse = { ...request, stream: request.stream ?? true };
  for (const field of Object.keys(body)) if (Reflect.get(body, field) === undefined) Reflect.deleteProperty(body, field);
  for (const field of [...foreign, ...dialect.drops]) drop(body, field, losses);
  if (Array.isArray(body.input)) body.input = takeItems(body.input, dialect, losses);
  if (dialect.toolTypes && body.tools) body.tools = takeTools(body.tools, dialect.toolTypes, losses);
  if (body.include) body.include = takeIncludes(body.include, dialect.dropsIncludes, losses);
  return { path: dialect.path, body, losses };
}

function drop(body: CreateResponse, field: string, losses: Loss[]): void {
  const value = Reflect.get(body, field);
  Reflect.deleteProperty(body, field);
  if (value !== undefined && value !== null) losses.push({ path: field, reason: "The server does not take this field." });
}

function takeItems(input: readonly InputItem[], dialect: ResponsesDialect, losses: Loss[]): InputItem[] {
  return input.filter((item, index) => {
    const type = inputType(item);
    const reason =
      dialect.itemTypes && !dialect.itemTypes.includes(type) ? `The server takes no ${type} items.` : unreadable(item, dialect);
    if (reason) losses.push({ path: `input[${index}]`, reason });
    return !reason;
  });
}

function unreadable(item: InputItem, dialect: ResponsesDialect): string | undefined {
  if (dialect.encryptedReasoning || item.type !== "reasoning") return undefined;
  const readable = item.summary.length > 0 || ("content" in item && Array.isArray(item.content) && item.content.length > 0);
  return readable ? undefined : "The server takes no reasoning without readable text.";
}

function takeTools(
  tools: NonNullable<CreateResponse["tools"]>,
  types: readonly string[],
  losses: Loss[],
): NonNullable<CreateResponse["tools"]> {
  return tools.filter((tool, index) => {
    if (types.includes(tool.type)) return true;
    losses.push({ path: `tools[${index}]`, reason: `The server has no ${tool.type} tools.` });
    return false;
  });
}

function takeIncludes(
  include: NonNullable<CreateResponse["include"]>,
  dropped: readonly string[],
  losses: Loss[],
): NonNullable<CreateResponse["include"]> {
  return include.filter((value, index) => {
    if (!dropped.includes(value)) return true;
    losses.push({ path: `include[${index}]`, reason: `The server cannot include ${value}.` });
    return false;
  });
}
