import { isObject, type ResponseEvent } from "antiphon";
import { duration } from "../text/amounts.ts";

const field = (event: ResponseEvent, name: string): unknown => Reflect.get(event, name);

function problem(event: ResponseEvent): string {
  const error = field(event, "error");
  return isObject(error) ? String(error["message"]) : "";
}

const seconds = (milliseconds: number): string =>
  milliseconds < 1_000 ? duration(milliseconds) : `${Math.ceil(milliseconds / 1_000)} s`;

const sentences: Readonly<Record<string, (event: ResponseEvent) => string>> = {
  "antiphon:retry": (event) => {
    const delay = Number(field(event, "delay") ?? 0);
    return `Retrying${delay > 0 ? ` in ${seconds(delay)}` : ""}: ${problem(event)}`;
  },
  "antiphon:fallback": (event) => `Switching to another model: ${problem(event)}`,
  // A provider that no longer has the conversation is normal after a resume or a change of model.
  "antiphon:recovered": (event) => (field(event, "recovery") === "chain-lost" ? "" : String(field(event, "action"))),
  "antiphon:compacted": () => "Summarised the older part of the conversation.",
  "antiphon:compaction_failed": (event) => `The conversation could not be summarised: ${problem(event)}`,
  "antiphon:handover": (event) => `Handed over to ${String(field(event, "to"))}.`,
  "antiphon:asked_again": (event) => `Asking the model again: ${String(field(event, "problem"))}`,
  "antiphon:container_replaced": () => "The provider's container expired; using a new one.",
  "antiphon:loss": (event) => {
    const losses = field(event, "losses");
    const reported = Array.isArray(losses) ? losses.filter(isObject) : [];
    return reported.map(({ path, reason }) => `Not sent: ${String(path)} (${String(reason)})`).join("\n");
  },
};

/** The note about an out-of-band event, if the reader of an answer needs one. */
export const noteOf = (event: ResponseEvent): string | undefined => sentences[event.type]?.(event) || undefined;
