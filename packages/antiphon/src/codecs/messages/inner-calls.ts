import type { Encoding } from "./encoding.ts";
import { isBlock, type Block, type WireMessage } from "./extension.ts";

/** The call that a block belongs to, where code of the model's made it. */
const callerId = ({ caller }: Block): unknown => (isBlock(caller) ? caller["tool_id"] : undefined);

/** Puts the result of a piece of code after the calls that the code made, where the wire had it. */
export function resultsAfterInnerCalls(blocks: Block[]): Block[] {
  const inner = new Set<unknown>(blocks.map(callerId).filter((id) => id !== undefined));
  if (inner.size === 0) return blocks;
  const moved = blocks.filter((block) => inner.has(block["tool_use_id"]));
  const order = blocks.filter((block) => !moved.includes(block));
  for (const result of moved) {
    const last = order.findLastIndex(
      (block) => callerId(block) === result["tool_use_id"] || block["id"] === result["tool_use_id"],
    );
    order.splice(last + 1, 0, result);
  }
  return order;
}

const isServerUse = ({ type }: Block): boolean => type === "server_tool_use" || type === "mcp_tool_use";

/**
 * The conversation without server-side calls that nothing came of, as an answer that broke off leaves them. One at the very end
 * is still to be answered, and so is code whose own calls wait for their results.
 */
export function withoutUnanswered(messages: readonly WireMessage[], lose: Encoding["lose"]): WireMessage[] {
  const all = messages.flatMap(({ content }) => content);
  if (!all.some(isServerUse)) return [...messages];
  const known = new Set<unknown>([...all.map((block) => block["tool_use_id"]), ...all.map(callerId)]);
  const isLost = (block: Block): boolean => isServerUse(block) && !known.has(block["id"]);
  return messages.flatMap((message, index) => {
    if (index === messages.length - 1 || !message.content.some(isLost)) return [message];
    lose("input", "A server-side call without a result was omitted.");
    const content = message.content.filter((block) => !isLost(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}
