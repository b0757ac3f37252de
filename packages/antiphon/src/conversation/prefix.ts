import type { CreateResponse, InputItem, Tool } from "../model/index.ts";

/** Where a prompt first differs from the one before it. */
export interface PrefixChange {
  /** How many parts (tools, instructions, items) in front are the same. */
  at: number;
  /** Where in the request: `tools[1]`, `instructions`, `input[4]`. */
  path: string;
  /** Why, as a sentence. */
  reason: string;
}

/** What a provider's cache can know of a request, in the order in which it reads it. */
export interface Prefix {
  tools: { name: string; hash: string }[];
  instructions: string;
  /** Nothing where the provider has a part of the conversation that is not in the request. */
  input: string[] | undefined;
}

/** The prefix of a request. `hash` is of one item or tool. */
export const prefixOf = ({ tools, instructions, input, ...request }: CreateResponse, hash: (part: object) => string): Prefix => ({
  tools: (tools ?? []).map((tool) => ({ name: toolName(tool), hash: hash(tool) })),
  instructions: instructions ?? "",
  input:
    request.previous_response_id || request.conversation
      ? undefined
      : typeof input === "string"
        ? [input]
        : (input ?? []).map((item: InputItem) => hash(item)),
});

/** What a tool goes by: its name, or its type where there is one of a kind. */
export const toolName = (tool: Tool): string =>
  "name" in tool ? String(tool.name) : "server_label" in tool ? `${tool.type} ${String(tool.server_label)}` : tool.type;

/** The first difference between two prompts, or nothing where the later one only goes on. */
export function firstChange(before: Prefix, now: Prefix): PrefixChange | undefined {
  const tools = changedTool(before.tools, now.tools);
  if (tools) return tools;
  const at = now.tools.length;
  if (before.instructions !== now.instructions)
    return { at, path: "instructions", reason: "The instructions differ from those of the previous request." };
  if (!before.input || !now.input) return undefined;
  const index = before.input.findIndex((hash, position) => hash !== now.input?.[position]);
  if (index === -1) return undefined;
  const reason =
    index < now.input.length
      ? "The item differs from the one at this position in the previous request."
      : "Items of the previous request are missing.";
  return { at: at + 1 + index, path: `input[${index}]`, reason };
}

function changedTool(before: Prefix["tools"], now: Prefix["tools"]): PrefixChange | undefined {
  const at = now.findIndex(({ hash }, index) => hash !== before[index]?.hash);
  if (at === -1 && now.length === before.length) return undefined;
  const index = at === -1 ? now.length : at;
  const [was, is] = [before[index], now[index]];
  const gone = was && !now.some(({ name }) => name === was.name);
  const reason = gone
    ? `The tool "${was.name}" was removed.`
    : is && is.name === was?.name
      ? `The tool "${is.name}" was changed.`
      : `The tool "${is?.name ?? ""}" was added.`;
  return { at: index, path: `tools[${index}]`, reason };
}
