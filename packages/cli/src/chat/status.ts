import type { Reply } from "antiphon";
import type { ResultFile } from "antiphon/hosted";
import type { Answered } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { bytes, duration, money, tokens } from "./text/amounts.ts";
import { safeText } from "./text/safe-text.ts";

/** What an answer took, and how full the conversation is: `openai:gpt-5.2 · 1.2k in, 80 out · $0.01 · context 2 % · 3.1 s`. */
export function statusOf(conversation: Conversation, { usage, cost, milliseconds }: Answered, dot: string): string {
  const { context } = conversation.chat.stats();
  const parts = [
    conversation.modelName,
    usage.total_tokens > 0 ? `${tokens(usage.input_tokens)} in, ${tokens(usage.output_tokens)} out` : "",
    cost === undefined ? "" : money(cost),
    context ? `context ${Math.round(context.share * 100)} %` : "",
    duration(milliseconds),
  ];
  return parts.filter(Boolean).join(` ${dot} `);
}

const endings: Readonly<Record<string, string>> = {
  length: "The answer ends here because it reached its limit.",
  content_filter: "The provider's filter ended the answer here.",
  cancelled: "Stopped. What had come is kept.",
};

/** Why an answer ended, where that needs saying. */
export function endingOf({ finish, pending, response }: Reply): string | undefined {
  if (pending.length > 0) return "Stopped. /retry goes on with the call that waits.";
  if (response.incomplete_details?.reason === "max_steps")
    return "The model used tools as often as it may; --max-steps allows more.";
  return endings[finish];
}

/** The files of an answer, by name and kind; those that came with it also by size. */
export async function fileLines({ files }: Reply): Promise<string[]> {
  const lines = files.map(async (file) => {
    // What lies in a provider's container is not fetched just to be measured.
    const size = file.source.container_id === undefined ? await sizeOf(file) : "";
    return `${safeText(file.name)} (${[safeText(file.mimeType), size].filter(Boolean).join(", ")})`;
  });
  const found = await Promise.all(lines);
  return found.length > 0 ? [...found, "/save <folder>/ keeps them."] : [];
}

const sizeOf = (file: ResultFile): Promise<string> =>
  file.bytes().then(
    ({ length }) => bytes(length),
    () => "",
  );
