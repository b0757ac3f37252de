/** The fields that deltas have; all but the last three are in every one. */
interface Delta {
  type: string;
  sequence_number: number;
  item_id: string;
  output_index: number;
  delta: string;
  content_index?: number;
  summary_index?: number;
  logprobs?: readonly unknown[];
}
const leastFields = 5;

/** One event as a client reads it off the stream. */
export function encodeFrame(value: unknown): string {
  // The encoder makes nothing but events.
  const event = value as { type: string };
  return `event: ${event.type}\ndata: ${isDelta(event) ? deltaText(event) : JSON.stringify(event)}\n\n`;
}

/** Whether an event is a delta with the usual fields and no others. */
function isDelta(event: object): event is Delta {
  const { delta, item_id, sequence_number, output_index, content_index, summary_index, logprobs } = event as Partial<Delta>;
  if (typeof delta !== "string" || typeof item_id !== "string") return false;
  if (typeof sequence_number !== "number" || typeof output_index !== "number") return false;
  let wanted = leastFields;
  if (typeof content_index === "number") wanted += 1;
  else if (typeof summary_index === "number") wanted += 1;
  if (logprobs?.length === 0) wanted += 1;
  return Object.keys(event).length === wanted;
}

/** Most of a stream is deltas, and putting one together takes a third of the time that `JSON.stringify` takes for it. */
function deltaText(event: Delta): string {
  const { type, sequence_number, item_id, output_index, delta, logprobs } = event;
  const rest = logprobs ? ',"logprobs":[]}' : "}";
  return `{"type":"${type}","sequence_number":${sequence_number},"item_id":${quoted(item_id)},"output_index":${output_index},${placeText(event)}"delta":${JSON.stringify(delta)}${rest}`;
}

function placeText({ content_index, summary_index }: Pick<Delta, "content_index" | "summary_index">): string {
  if (content_index !== undefined) return `"content_index":${content_index},`;
  return summary_index === undefined ? "" : `"summary_index":${summary_index},`;
}

let lastId = "";
let lastQuoted = '""';

/** An id in quotes; deltas of one item come one after the other. */
function quoted(id: string): string {
  if (id === lastId) return lastQuoted;
  lastId = id;
  lastQuoted = JSON.stringify(id);
  return lastQuoted;
}
