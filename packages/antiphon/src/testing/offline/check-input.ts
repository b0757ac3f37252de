import { AntiphonError } from "../../core/error.ts";
import { inputType } from "../../model/guards.ts";
import type { InputItem } from "../../model/index.ts";
import { isSealed } from "./blob.ts";
import { isCall, isCallOutput, stringIn } from "./read-prompt.ts";

/** Refuses what a real server refuses: results without a call, calls without a result, blobs of another maker. */
export function checkInput(items: readonly InputItem[]): void {
  const open = new Map<string, InputItem>();
  const seen = new Set<string>();
  for (const item of items) {
    const id = stringIn(item, "call_id");
    if (isCall(item)) {
      seen.add(id);
      // Nobody can answer a call that was cut off while it was being written.
      if (stringIn(item, "status") !== "incomplete") open.set(id, item);
    } else if (isCallOutput(item)) {
      if (!seen.has(id)) throw refused(`No tool call found for the output with call_id '${id}'.`);
      open.delete(id);
    } else checkBlob(item);
  }
  const [unanswered] = open.keys();
  if (unanswered !== undefined) throw refused(`No tool output found for the call with call_id '${unanswered}'.`);
}

function checkBlob(item: InputItem): void {
  const blob = inputType(item) === "reasoning" ? stringIn(item, "encrypted_content") : "";
  if (blob === "" || isSealed(blob)) return;
  throw new AntiphonError("INVALID_ENCRYPTED_CONTENT", "The encrypted content was not made by this model.", {
    provider: "offline",
    status: 400,
    param: "input",
    vendorCode: "invalid_encrypted_content",
  });
}

/** A request that this model does not take. */
export const refused = (message: string, param = "input"): AntiphonError =>
  new AntiphonError("BAD_REQUEST", message, { provider: "offline", status: 400, param, vendorCode: "invalid_request_error" });
