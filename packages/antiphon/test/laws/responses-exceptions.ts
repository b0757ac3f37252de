const output = "The server leaves the terminal response's output empty; the streamed items are put there.";
const edited = "Shortened by hand where it was published: its deltas no longer add up to its text.";
const two = "Two streams in one file; a stream ends with its terminal event.";
const late = "The proxy reports its price in a ping after the terminal event.";

/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "chunking" | "lifecycle" | "identity" | "truncation" | "abort",
  Record<string, string>
> = {
  fold: {},
  chunking: {},
  lifecycle: { "openai-responses/vercel-ai--openai-shell-container-1--stream": edited },
  identity: {
    "openai-responses/opencode--native-openai-oauth-tool-loop--01": output,
    "openai-responses/opencode--native-openai-oauth-tool-loop--02": output,
    "responses-compatible-chatgpt-codex/rig--codex-behaviors-strict-tools-opt-in-roundtrip": output,
    "responses-compatible-chatgpt-codex/rig--codex-sessions-parallel-tool-calls-single-turn-nonstreaming--01": output,
    "responses-compatible-chatgpt-codex/rig--codex-tool-args-unicode-arguments-streaming": output,
    "responses-compatible-chatgpt-codex/rig--codex-tool-choice-none-suppresses-tool-calls": output,
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
  truncation: { "openai-responses/vercel-ai--openai-shell-container-1--stream": edited },
  abort: { "openai-responses/vercel-ai--openai-shell-container-1--stream": edited },
};

/** Fields that the decoder neither looks at nor passes on. */
export const unread: string[] = [
  // A proxy's price, after the terminal event; see above.
  "<ping>.cost",
];
