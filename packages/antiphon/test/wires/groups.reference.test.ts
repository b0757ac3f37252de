import { expect, test } from "vitest";
import { finishReason } from "../../src/core/views.ts";
import type { ResponseResource } from "../../src/model/index.ts";
import { decodeBytes } from "../../src/testing/laws.ts";
import { reduce } from "../../src/core/reduce.ts";
import { testCtx } from "../support/ctx.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { misfiled } from "../support/reviewed-recordings.ts";
import { wires, type WireName } from "./chain.ts";

const wireOf: Readonly<Record<string, WireName>> = {
  "openai-responses": "responses",
  "openai-chat": "chat",
  anthropic: "messages",
  gemini: "gemini",
};

function decode(recording: Recording): ResponseResource {
  const { codec } = wires[wireOf[recording.provider]!];
  const ctx = testCtx();
  return recording.stream ? reduce(decodeBytes(codec, ctx, [recording.body()])) : codec.decodeResponse(ctx, recording.json());
}

/** What an answer comes to, whoever gave it: how it ended, what it consists of, which tools it calls with which arguments. */
function gist(response: ResponseResource): string {
  const parts = response.output.flatMap((item) => {
    if (item.type === "function_call")
      return [
        `${item.name}(${Object.keys(JSON.parse(item.arguments) as object)
          .toSorted()
          .join()})`,
      ];
    // Whether thoughts are shown, and how answers are cut into messages, is each vendor's own way.
    return item.type === "reasoning" ? [] : [item.type];
  });
  return [finishReason(response), ...new Set(parts)].join(" ");
}

/** The step of a conversation that a recording is: `r--01` and its stream are the first. */
const stepOf = ({ id }: Recording): string => (id.includes("followup") ? "second" : "first");

function* table(): Generator<string> {
  const all = recordings(...Object.keys(wireOf)).filter(
    ({ id, provider, status, group }) => wireOf[provider] && status === 200 && group && !Object.hasOwn(misfiled, id),
  );
  const groups = groupBy(all);
  for (const [key, list] of [...groups].toSorted(([a], [b]) => a.localeCompare(b))) {
    if (new Set(list.map(({ provider }) => provider)).size < 2) continue;
    const gists = new Map<string, Set<string>>();
    for (const recording of list) {
      const told = gist(decode(recording));
      gists.set(told, (gists.get(told) ?? new Set()).add(wireOf[recording.provider]!));
    }
    yield `${key}: ${[...gists].map(([told, by]) => `${told} (${[...by].toSorted().join(", ")})`).join(" | ")}`;
  }
}
const keyOf = (recording: Recording): string => `${recording.group!.replace(/^.*:/, "")} ${stepOf(recording)}`;
function groupBy(list: Recording[]): Map<string, Recording[]> {
  const groups = new Map<string, Recording[]>();
  for (const recording of list) groups.set(keyOf(recording), [...(groups.get(keyOf(recording)) ?? []), recording]);
  return groups;
}

test("one prompt on several wires comes to the same, but for what the vendors really answered differently", () => {
  expect(`\n${[...table()].join("\n")}\n`).toMatchInlineSnapshot(`
    "
    chatCompletionsAssistantCacheControlParam first: stop message (chat, messages)
    codeInterpreterToolParam first: tool_calls message bash(command) (messages) | stop code_interpreter_call message (gemini, responses)
    codeInterpreterToolParam second: stop message (gemini, messages, responses)
    googleToolCallThoughtSignatureReplayParam first: stop message (chat, gemini)
    googleToolCallThoughtSignatureReplayParam second: stop message (chat, gemini)
    instructionsParam first: stop message (chat, gemini, messages, responses)
    instructionsParam second: stop message (chat, gemini, messages, responses)
    jsonSchemaFormatParam first: stop message (chat, gemini, messages, responses)
    jsonSchemaFormatParam second: stop message (chat, messages, responses) | length message (gemini)
    metadataParam first: stop message (chat, messages, responses)
    metadataParam second: stop message (chat, messages, responses)
    multimodalRequest first: stop message (messages) | length message (gemini, responses) | length (chat, responses)
    multimodalRequest second: stop message (messages, responses) | length message (gemini) | length (chat)
    openAIMultipleReasoningSignaturesReplayParam first: stop message (chat, responses)
    openAIMultipleReasoningSignaturesReplayParam second: stop message (chat, responses)
    parallelToolCallsRequest first: stop message (chat, gemini, messages, responses) | tool_calls get_weather(location) (responses)
    parallelToolCallsRequest second: stop message (chat, gemini, messages, responses)
    reasoningRequest first: stop message (chat, gemini, messages, responses)
    reasoningRequest second: stop message (chat, gemini, messages, responses)
    reasoningRequestTruncated first: length message (gemini, messages) | length (chat, responses)
    reasoningRequestTruncated second: length message (gemini, messages) | length (chat)
    reasoningSummaryParam first: stop message (chat, gemini, messages, responses)
    reasoningSummaryParam second: stop message (chat, gemini, messages, responses)
    reasoningWithOutput first: stop message (chat, gemini, messages, responses)
    reasoningWithOutput second: stop message (chat, gemini, messages, responses)
    responsesToolSearchInputParam first: stop tool_search_call tool_search_output message (messages) | stop message tool_search_call tool_search_output (messages) | tool_calls search_code() (responses)
    responsesToolSearchInputParam second: stop message (messages, responses)
    simpleRequest first: stop message (chat, gemini, messages, responses)
    simpleRequest second: stop message (chat, gemini, messages, responses)
    simpleRequestTruncated first: length message (messages) | length (gemini)
    simpleRequestTruncated second: length message (messages) | length (gemini)
    stopSequencesParam first: stop message (chat, gemini, messages)
    stopSequencesParam second: stop message (chat, gemini, messages)
    storeDisabledParam first: stop message (chat, responses)
    systemMessageArrayContent first: stop message (chat, messages) | length message (gemini) | length (responses)
    systemMessageArrayContent second: length message (chat, gemini, messages)
    textFormatJsonSchemaParam first: stop message (chat, gemini, messages, responses)
    textFormatJsonSchemaParam second: stop message (chat, gemini, messages, responses)
    textFormatJsonSchemaWithDescriptionParam second: stop message (messages, responses)
    toolCallRequest first: tool_calls get_weather(location) (chat, gemini, messages, responses)
    toolCallRequest second: tool_calls get_weather(location) (chat, gemini, messages, responses)
    toolChoiceNoneParam first: stop message (gemini, messages)
    toolChoiceRequiredParam first: tool_calls get_weather(location) (chat, gemini, messages, responses)
    toolChoiceRequiredParam second: tool_calls get_weather(location) (chat, gemini, messages, responses)
    webSearchToolParam first: stop web_search_call message (messages, responses) | stop message web_search_call (gemini)
    webSearchToolParam second: stop message (gemini, messages) | stop web_search_call message (responses)
    "
  `);
});
