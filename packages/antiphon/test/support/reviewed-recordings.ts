/**
 * Recordings that many tests must treat alike, each list with its reason. Exceptions of one test stand next to that test.
 * A test fails if an entry is no longer needed.
 */

/** Streams filed under Responses that are in another format. `responsesRecordings` leaves them out. */
export const misfiled: Readonly<Record<string, string>> = {
  "openai-responses/lingua--multimodalrequest-followup-r--02--stream": "Made up by its source: no API has events of this form.",
  "responses-compatible-azure/vercel-ai--azure-deepseek-reasoning-1--stream": "A stream of Chat Completions.",
};

/** Recorded requests that the vendor took and that our encoder refuses. */
export const refusedByUs: Readonly<Record<string, string>> = {
  "anthropic/dd-trace-py--anthropic-completion-tools-call-with-tool-result-stream-helper":
    "A tool result whose id matches no call; every wire but Responses refuses it.",
};

/** Streams whose e-mail addresses were masked in whole texts but not in deltas, so that the deltas do not add up. */
export const maskedAddresses: readonly string[] = [
  "openai-responses/mastra--6c406323--02",
  "openai-responses/mastra--7dc91ebd--02",
  "openai-responses/mastra--928e2f03--03",
  "openai-responses/mastra--928e2f03--04",
  "openai-responses/mastra--c2110c7b--02",
  "openai-responses/mastra--e18a4ec1--02",
  "openai-responses/req-llm--gpt-5-chat-latest-object-streaming",
];
