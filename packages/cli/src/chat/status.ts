import type { Reply } from "antiphon";
import type { ResultFile } from "antiphon/hosted";
import type { Answered } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { bytes, duration, money, tokens } from "./text/amounts.ts";
import { safeText } from "./text/safe-text.ts";

/** The status line below an answer: `openai:gpt-5.2 · 1.2k in, 80 out · $0.01 · context 2 % · 3.1 s`. */
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
  length: "The answer reached the maximum number of tokens. Raise it with --max-tokens.",
  content_filter: "The provider's content filter ended the answer.",
  cancelled: "Stopped; partial answer saved.",
};

/** Explains an answer that did not end normally. */
export function endingOf({ finish, pending, response }: Reply): string | undefined {
  if (pending.length > 0) return "Stopped. /retry asks again about the pending tool call.";
  if (response.incomplete_details?.reason === "max_steps")
    return "The answer reached the maximum number of model calls. Raise it with --max-steps.";
  return endings[finish];
}

/** The files of an answer: name, type and, if already downloaded, size. */
export async function fileLines({ files }: Reply): Promise<string[]> {
  const lines = files.map(async (file) => {
    // Does not download a file from a provider's container only to measure it.
    const size = file.source.container_id === undefined ? await sizeOf(file) : "";
    return `${safeText(file.name)} (${[safeText(file.mimeType), size].filter(Boolean).join(", ")})`;
  });
  const found = await Promise.all(lines);
  return found.length > 0 ? [...found, `/save <folder>/ saves ${found.length === 1 ? "it" : "them"}.`] : [];
}

const sizeOf = (file: ResultFile): Promise<string> =>
  file.bytes().then(
    ({ length }) => bytes(length),
    () => "",
  );
