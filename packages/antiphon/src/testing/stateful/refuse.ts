import { vendorError } from "../../core/classify-error.ts";
import type { AntiphonError } from "../../core/error.ts";

/** What OpenAI says when it refuses the state of a conversation, and with which status and code. */
export const refusals = {
  "previous-unknown": (id: string) => refusal(400, `Previous response with id '${id}' not found.`, "previous_response_not_found"),
  "item-unknown": (id: string) => refusal(404, `Item with id '${id}' not found.`),
  "item-unsaved": (id: string) =>
    refusal(404, `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`),
  "reasoning-unsaved": () =>
    refusal(
      400,
      "A reasoning item has neither an id nor encrypted content. Items are not persisted when `store` is set to false.",
    ),
  "item-doubled": (id: string) => refusal(400, `Duplicate item found with id ${id}.`),
  "output-alone": (id: string) => refusal(400, `No tool call found for function call output with call_id ${id}.`),
  "call-alone": (id: string) => refusal(400, `No tool output found for function call ${id}.`),
  "reasoning-alone": (id: string) =>
    refusal(400, `Item '${id}' of type 'reasoning' was provided without its required following item.`),
  "without-reasoning": (id: string) => refusal(400, `Item '${id}' was provided without its required 'reasoning' item.`),
  "blob-unreadable": (id: string) =>
    refusal(400, `The encrypted content for item ${id} could not be verified.`, "invalid_encrypted_content"),
  "blobs-unknown": () => refusal(400, "Encrypted content is not supported with this model."),
  "field-unknown": (path: string) => refusal(400, `Unknown parameter: '${path}'.`, "unknown_parameter", path),
  "id-malformed": (id: string) => refusal(400, `Invalid id '${id}': it does not have the prefix of its type.`, "invalid_value"),
  "too-long": () =>
    refusal(400, "Your input exceeds the context window of this model. Please adjust your input.", "context_length_exceeded"),
} as const;

/** A rule that the simulated server holds its callers to. */
export type StatefulRule = keyof typeof refusals;

function refusal(status: number, message: string, code: string | null = null, param = "input"): AntiphonError {
  return vendorError({ message, type: "invalid_request_error", code, param }, { status, provider: "stateful" });
}
