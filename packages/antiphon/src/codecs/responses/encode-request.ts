import { AntiphonError } from "../../core/error.ts";
import type { Loss } from "../../core/loss.ts";
import { system, user } from "../../model/construct.ts";
import { inputType } from "../../model/guards.ts";
import type { CreateResponse, InputItem, ReasoningParam } from "../../model/index.ts";
import type { Ctx, EncodedRequest } from "../codec.ts";
import { unseal } from "../shared/envelope.ts";
import type { ResponsesDialect } from "./dialect.ts";
import { withoutExtensions } from "./extensions.ts";

// Fields that other wires have and this one has not.
const foreign: readonly string[] = ["seed", "stop"];

/** The request as a server of this dialect takes it. The caller's request is never changed. */
export function encodeRequest({ request }: Ctx, dialect: ResponsesDialect): EncodedRequest {
  const losses: Loss[] = [];
  const body: CreateResponse = isThere(request.stream) ? { ...request } : { ...request, stream: true };
  for (const field in body) if (Reflect.get(body, field) === undefined) Reflect.deleteProperty(body, field);
  for (const field of dialect.refuses) refuse(body, field);
  for (const fields of [foreign, dialect.drops])
    for (const field of fields) if (!dialect.keeps.includes(field)) drop(body, field, losses);
  if (!dialect.chainedInstructions && body.previous_response_id) moveInstructions(body);
  if (Array.isArray(body.input)) body.input = takeItems(body.input, dialect, losses);
  if (dialect.toolTypes && body.tools) body.tools = takeTools(body.tools, dialect.toolTypes, losses);
  if (body.include) body.include = takeIncludes(body.include, dialect.dropsIncludes, losses);
  return { path: dialect.path, body: dialect.envelopes ? body : withoutExtensions(body, losses), losses };
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

function refuse(body: CreateResponse, field: string): void {
  const value = Reflect.get(body, field);
  if (value === undefined) return;
  Reflect.deleteProperty(body, field);
  if (value === null || value === false) return;
  const sentence = `The provider does not support \`${field}\`, and the request cannot be sent without it.`;
  throw new AntiphonError("UNSUPPORTED", sentence, { param: field });
}

function drop(body: CreateResponse, field: string, losses: Loss[]): void {
  const value = Reflect.get(body, field);
  if (value === undefined) return;
  Reflect.deleteProperty(body, field);
  if (value !== null) losses.push({ path: field, reason: "The provider does not support this field." });
}

function moveInstructions(body: CreateResponse): void {
  if (!body.instructions) return;
  const input = typeof body.input === "string" ? [user(body.input)] : (body.input ?? []);
  body.input = [system(body.instructions), ...input];
  delete body.instructions;
}

function takeItems(input: InputItem[], dialect: ResponsesDialect, losses: Loss[]): InputItem[] {
  if (!dialect.itemTypes && !input.some(({ type }) => type === "reasoning")) return input;
  return input.flatMap((item, index) => {
    const type = inputType(item);
    const path = `input[${index}]`;
    if (dialect.itemTypes && !dialect.itemTypes.includes(type)) {
      losses.push({ path, reason: `The provider does not support \`${type}\` items.` });
      return [];
    }
    return item.type === "reasoning" ? takeReasoning(item, path, dialect, losses) : [item];
  });
}

/** Reasoning as this server can read it: without another wire's envelope, and not at all where nothing readable is left. */
function takeReasoning(
  item: ReasoningParam,
  path: string,
  { reasoning, envelopes }: ResponsesDialect,
  losses: Loss[],
): InputItem[] {
  const foreign = !envelopes && unseal(item.encrypted_content) !== undefined;
  if (foreign)
    losses.push({ path: `${path}.encrypted_content`, reason: "Only the provider that created this reasoning can read it." });
  const text = (item.content?.length ?? 0) > 0;
  const readable = reasoning === "text" ? text : text || item.summary.length > 0;
  if (!readable && (foreign || reasoning !== "any")) {
    if (!foreign) losses.push({ path, reason: "The provider does not accept reasoning without readable text." });
    return [];
  }
  const { encrypted_content: _, ...rest } = item;
  return [foreign ? rest : item];
}

function takeTools(
  tools: NonNullable<CreateResponse["tools"]>,
  types: readonly string[],
  losses: Loss[],
): NonNullable<CreateResponse["tools"]> {
  return tools.filter((tool, index) => {
    if (types.includes(tool.type)) return true;
    losses.push({ path: `tools[${index}]`, reason: `The provider does not support \`${tool.type}\` tools.` });
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
    losses.push({ path: `include[${index}]`, reason: `The provider cannot include \`${value}\`.` });
    return false;
  });
}
