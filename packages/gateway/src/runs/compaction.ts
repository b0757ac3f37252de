import { isObject, type Compaction, type InputItem } from "antiphon";

const mark = "antiphon.summary.1:";

/** A summary in the shape of a compaction item: any model behind the gateway can go on from it, since only the gateway reads it. */
export const sealSummary = (id: string, summary: string): Compaction => ({
  type: "compaction",
  id,
  encrypted_content: mark + Buffer.from(JSON.stringify({ summary })).toString("base64url"),
  status: "completed",
});

/** The summary in a compaction item, if it is one of ours. */
function summaryIn({ encrypted_content: sealed }: Compaction): string | undefined {
  if (typeof sealed !== "string" || !sealed.startsWith(mark)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(sealed.slice(mark.length), "base64url").toString());
    return isObject(value) && typeof value["summary"] === "string" ? value["summary"] : undefined;
  } catch {
    return undefined;
  }
}

const isCompaction = (item: InputItem): item is Compaction => item.type === "compaction";

/** Items in which the gateway's own summaries can be read by any model; the others pass as they are. */
export const unfold = (items: InputItem[]): InputItem[] => (items.some(isCompaction) ? items.map(unfolded) : items);

function unfolded(item: InputItem): InputItem {
  const summary = isCompaction(item) ? summaryIn(item) : undefined;
  if (summary === undefined) return item;
  return { type: "message", role: "developer", content: `Notes on the earlier part of this conversation:\n\n${summary}` };
}
