import { inputType, type InputItem } from "antiphon";

const isMessage = (item: InputItem): item is Extract<InputItem, { role: string }> => inputType(item) === "message";

/** An item as clients are shown it: whole, however short it was written. */
export function shownItem(item: InputItem): InputItem {
  if (!isMessage(item)) return item;
  const { role, content } = item;
  if (typeof content !== "string") return { ...item, type: "message", status: "completed" };
  const part =
    role === "assistant"
      ? { type: "output_text", text: content, annotations: [], logprobs: [] }
      : { type: "input_text", text: content };
  // What the item lacked of the shape of the specification is there now.
  return { ...item, type: "message", status: "completed", content: [part] } as InputItem;
}
