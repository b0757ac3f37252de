import { isObject, type ResponseEvent } from "antiphon";

const field = (event: ResponseEvent, name: string): string => String(Reflect.get(event, name));

function problem(event: ResponseEvent): string {
  const error: unknown = Reflect.get(event, "error");
  return isObject(error) ? String(error["message"]) : "";
}

// What happens beside the answer, in a sentence.
const sentences: Readonly<Record<string, (event: ResponseEvent) => string>> = {
  "antiphon:retry": (event) => `asked again, attempt ${field(event, "attempt")}: ${problem(event)}`,
  "antiphon:fallback": (event) => `going on with another model: ${problem(event)}`,
  "antiphon:recovered": (event) => field(event, "action"),
  "antiphon:compacted": () => "The older part of the conversation was summarised.",
  "antiphon:compaction_failed": (event) => `The conversation could not be summarised: ${problem(event)}`,
  "antiphon:handover": (event) => `handed over to ${field(event, "to")}`,
  "antiphon:asked_again": (event) => `asked again: ${field(event, "problem")}`,
  "antiphon:container_replaced": () => "The provider's container was gone; a new one is used.",
  "antiphon:loss": (event) => {
    const losses: unknown = Reflect.get(event, "losses");
    const told = Array.isArray(losses) ? losses.filter(isObject) : [];
    return told.map(({ path, reason }) => `left out: ${String(path)}: ${String(reason)}`).join("\n");
  },
};

/** What is said of an event, if anything. */
export const noteOf = (event: ResponseEvent): string | undefined => sentences[event.type]?.(event) || undefined;
