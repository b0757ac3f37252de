import { isBlock, type Block } from "./extension.ts";

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
