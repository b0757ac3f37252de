import { maskedAddresses } from "../support/reviewed-recordings.ts";

const masked = Object.fromEntries(
  maskedAddresses.map((id) => [id, "Addresses were masked in its texts, but not in its deltas."]),
);
const output = "The server leaves the terminal response's output empty; the streamed items are put there.";
const edited = "Shortened by hand where it was published: its deltas no longer add up to its text.";
const two = "Two streams in one file; a stream ends with its terminal event.";
const lone = "A single event from the tests of an SDK: its item is never added, and the response never begins.";
const nulls = "The server sends null for required fields; they get their defaults.";
const late = "The proxy reports its price in a ping after the terminal event.";

/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "chunking" | "lifecycle" | "identity" | "truncation" | "abort",
  Record<string, string>
> = {
  fold: {
    "openai-responses/mastra--core-src-tools-provider-tools-e2e--02":
      "The server's terminal event lists two more sources than the item that it streamed.",
  },
  chunking: {},
  lifecycle: {
    ...masked,
    "openai-responses/openai-php--responseapplypatchcalloperationdiffdelta": lone,
    "openai-responses/openai-php--responseapplypatchcalloperationdiffdone": lone,
    "openai-responses/vercel-ai--openai-shell-container-1--stream": edited,
  },
  identity: {
    "openai-responses/openai-php--responseoutputitemapplypatchcalldone": lone,
    "openai-responses/openai-php--responseoutputitemtoolsearchoutputdone": lone,
    "openai-responses/openai-php--responsereasoningtextdelta": lone,
    "openai-responses/openai-php--responsereasoningtextdone": lone,
    "openai-responses/opencode--native-openai-oauth-tool-loop--01": output,
    "openai-responses/opencode--native-openai-oauth-tool-loop--02": output,
    "responses-compatible-chatgpt-codex/rig--codex-behaviors-strict-tools-opt-in-roundtrip": output,
    "responses-compatible-chatgpt-codex/rig--codex-sessions-parallel-tool-calls-single-turn-nonstreaming--01": output,
    "responses-compatible-chatgpt-codex/rig--codex-sessions-usage-accumulates-across-streaming-multi-turn--01": output,
    "responses-compatible-chatgpt-codex/rig--codex-sessions-usage-accumulates-across-streaming-multi-turn--02": output,
    "responses-compatible-chatgpt-codex/rig--codex-tool-args-unicode-arguments-streaming": output,
    "responses-compatible-chatgpt-codex/rig--codex-tool-choice-none-suppresses-tool-calls": output,
    "responses-compatible-chatgpt-codex/rig--streaming-tools-tool-call-completed-response-without-output": output,
    "responses-compatible-xai/vercel-ai--xai-text-streaming-1--stream": nulls,
    "responses-compatible-xai/vercel-ai--xai-text-with-reasoning-streaming-1--stream": nulls,
    "responses-compatible-xai/vercel-ai--xai-text-with-reasoning-streaming-store-false-1--stream": nulls,
    "openai-responses/pydantic-ai--openai-responses-model-mcp-list-tools-stream-backfills-m-2ad152":
      "The server leaves two items open; closing them moves the number of the end.",
    "openai-responses/synthetic--stream-error-flat-shape": "A flat error event; it goes out nested, as the specification has it.",
    "openai-responses/synthetic--stream-error-then-failed-after-text":
      "The server leaves an item open; closing it moves the numbers after it.",
    "openai-responses/vercel-ai--openai-phase-1--stream":
      "Shortened by hand where it was published: numbers and an item are missing.",
    "openai-responses/vercel-ai--openai-reasoning-encrypted-content-1--stream": two,
    "openai-responses/vercel-ai--openai-shell-tool-1--stream": two,
    "openresponses-lmstudio/vercel-ai--lmstudio-tool-call-2--stream":
      "The server sends a call's arguments only whole; a delta is added.",
    "responses-compatible-opencode-zen/opencode--native-zen-tool-loop--01": late,
    "responses-compatible-opencode-zen/opencode--native-zen-tool-loop--02": late,
  },
  truncation: { ...masked, "openai-responses/vercel-ai--openai-shell-container-1--stream": edited },
  abort: {
    ...masked,
    "openai-responses/openai-php--responseapplypatchcalloperationdiffdelta": lone,
    "openai-responses/openai-php--responseapplypatchcalloperationdiffdone": lone,
    "openai-responses/vercel-ai--openai-shell-container-1--stream": edited,
  },
};

const unknownStatus = "The status `complete` is in no specification; it becomes `completed`.";

/** Fields of plain answers that change, each with the reason. */
export const changedFields: Record<string, string> = {
  "openai-responses/pydantic-ai--openai-previous-response-id--01: status": unknownStatus,
  "openai-responses/pydantic-ai--openai-previous-response-id--02: status": unknownStatus,
  "openai-responses/pydantic-ai--openai-previous-response-id-auto-mode: status": unknownStatus,
};

/** Fields that the decoder neither looks at nor passes on. */
export const unread: string[] = [
  // A proxy's price, after the terminal event; see above.
  "<ping>.cost",
];
