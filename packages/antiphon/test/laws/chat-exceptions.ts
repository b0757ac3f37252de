const late = "The server says that the answer is finished, and then that it failed.";

const cerebrasTwo = "chat-compatible-cerebras/vercel-ai--cererebras-structured-output-tools-1--stream";
const twoAnswers = "Two answers in one file; the first one ends in the middle.";

/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "lifecycle" | "parity" | "chunking" | "truncation" | "mirror" | "plain",
  Record<string, string>
> = {
  fold: {},
  lifecycle: {},
  parity: { [cerebrasTwo]: twoAnswers },
  chunking: {},
  truncation: {
    [cerebrasTwo]: twoAnswers,
    "chat-compatible-openrouter/pydantic-ai--openrouter-stream-error": late,
    "chat-compatible-openrouter/req-llm--google-gemini-2-5-flash-lite-object-streaming": late,
  },
  mirror: { [cerebrasTwo]: twoAnswers },
  plain: {
    "chat-compatible-azure/lmnr-python--prompt-content-filtering": "An error with status 200; the transport finds it first.",
  },
};

/** Recorded exchanges with other endpoints than Chat Completions, by id. Reading or deleting a stored answer shows in the method. */
export const otherEndpoints: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^chat-compatible-(groq|mistral)\/prism--(audio-from|speech-to-text)-/, "It transcribes speech."],
  [/^chat-compatible-(mistral|openrouter)\/prism--embeddings-/, "It embeds texts."],
  [/^chat-compatible-mistral\/prism--ocr-/, "It reads a document."],
];

const time = "How long the server took, or how fast it was.";
const echo = "What the request said, or what the server calls itself.";
const twice = "The same as another field, which is read.";
const kinds = "The common usage has no word for this kind of token; it is in the sums that are read.";
const nowhere = "The common vocabulary has no place for it.";

/** Fields that the decoder neither looks at nor passes on for some vendor, with the reason why that is right. */
export const unread: readonly (readonly [RegExp, string])[] = [
  [/^(time_info|timings|latency_checkpoint)\b/, time],
  [/^usage\.\w*(time|per_sec|per_second|_ms)\w*$/, time],
  [/^(object|stream_options|prompt|prompt_text|metadata|kv_transfer_params|metrics)\b/, echo],
  // Stored answers, read later, say what was asked.
  [/^(frequency_penalty|presence_penalty|temperature|top_p|seed|tools|tool_choice|response_format|input_user)$/, echo],
  [/^(system_fingerprint|provider|generationId|request_id|x_groq\.(id|seed))$/, echo],
  [/^(venice_parameters|usage_breakdown|usage\.search_context_size|usage\.is_byok|usage\.service_tier)\b/, echo],
  [/^choices\[\]\.(seed|role|routed_experts|token_ids)$|^prompt_(token_ids|logprobs)$|\.token_id$/, echo],
  [/^choices\[\]\.(delta|message)\.(role|name)$|\.prompt_index$/, echo],
  [/^(obfuscation|p)$|^choices\[\]\.message\.padding$/, "Padding that hides lengths."],
  [/^choices\[\]\.(message|delta)\.(reasoning|reasoning_content|provider_metadata|channel)$/, twice],
  [
    /^choices\[\]\.delta\.reasoning_details\[\]<reasoning\.text>\.(format|id|index)$/,
    "Only a router that wants details back gets them.",
  ],
  [/^choices\[\]\.message\.reasoning_details\[\]<reasoning\.text>\.(format|index)$/, "The same."],
  [/^choices\[\]\.message$/, "Perplexity repeats the whole message in every chunk."],
  [/^choices\[\]\.delta$/, "Perplexity has an empty one in plain answers."],
  [/^choices\[\]\.text$/, "Together repeats the text of a delta there."],
  [/^choices\[\]\.(native_finish_reason|finish_details<max_tokens>)$/, twice],
  [/^choices\[\]\.message\.parsed$/, "xAI repeats typed output as a value."],
  [/^error<invalid_request_error>\.failed_generation$/, "What Groq's model wrote in place of a call. " + nowhere],
  [/^related_questions$/, "Questions that Perplexity suggests. " + nowhere],
  [/<(text|thinking|function|custom)>\.(type|closed)$/, "Told by the field that holds the content."],
  [/^usage\.(prompt_cache_(hit|miss)|cached|cache_read_input|cache_creation_input)_tokens$/, twice],
  [/^usage\.(cache_creation|cost_details|market_cost|pydantic_ai_gateway|cost\.\w+)$/, twice],
  [/^cost\.diem$|^copilot_usage$/, "A price in the vendor's own currency."],
  [/^usage\.(prompt|completion)_tokens_details\.(audio|image|video|text|multimodal)_tokens$/, kinds],
  [/^usage\.completion_tokens_details\.(accepted|rejected)_prediction_tokens$/, kinds],
  [/^usage\.(audio_prompt_tokens|prompt_audio_seconds|draft_tokens\w*|num_sources_used|server_tool_use_details)$/, kinds],
  [/^choices\[\]\.(matched_stop|stop_reason)$/, "Which stop sequence was met. " + nowhere],
  [/^choices\[\]\.logprobs\.(reasoning_content|refusal)$/, "Probabilities of thoughts. " + nowhere],
  [/^choices\[\]\.logprobs\.content$/, "Where thoughts stand inside the text, its probabilities cannot be told from theirs."],
  [/^choices\[\]\.logprobs$/, "There was no text to speak of."],
  [/^x_groq$/, "Its usage is read where there is no other."],
  [/^choices\[\]\.content_filter_result$/, "Azure says that its filter itself failed."],
  [/^choices\[\]\.message\.reasoning_encrypted$/, "Whether Venice hides thoughts; they are not there if so."],
];

/** Recorded requests that our server refuses, with the field that it names: several answers at once, and requests that the vendor refused too. */
export const refused: Record<string, string> = {
  "chat-compatible-litellm-proxy/dd-trace-py--completion-multiple-choices-proxy": "n",
  "chat-compatible-litellm-proxy/dd-trace-py--completion-stream-multiple-choices-proxy": "n",
  "chat-compatible-llamacpp/rig--response-shape-matrix-two-candidates-streaming": "n",
  "chat-compatible-mistral/rig--terminal-metadata-matrix-blocking-ministral-3b-roomy-plain-two": "n",
  "chat-compatible-mistral/rig--terminal-metadata-matrix-blocking-mistral-small-tiny-plain-two": "n",
  "chat-compatible-mistral/rig--terminal-metadata-matrix-streaming-mistral-small-roomy-plain-two": "n",
  "chat-compatible-openrouter/rig--terminal-metadata-matrix-streaming-gpt-4-1-mini-roomy-plain-two": "n",
  "chat-compatible-openrouter/rig--terminal-metadata-matrix-streaming-gpt-4o-mini-tiny-plain-two": "n",
  "openai-chat/lingua--nmultiplecompletionsparam-followup-r--02": "n",
  "openai-chat/lingua--nmultiplecompletionsparam-r--01": "n",
  "openai-chat/otel--chat-completion-multiple-choices": "n",
  "openai-chat/rig--chat-terminal-metadata-matrix-streaming-gpt-4-1-mini-tin-569806": "n",
  "openai-chat/rig--chat-terminal-metadata-matrix-streaming-gpt-4o-mini-room-ee2dad": "n",
  "chat-compatible-ollama/activeagent--agent-image-input": "messages[0].images",
  "openai-chat/ai-gateway--chat-bad-request": "temperature",
  "openai-chat/ai-gateway--chat-no-messages": "messages",
  "openai-chat/crewai--custom-llm-within-crew--01": "messages[1].content[0].type",
  "openai-chat/rig--error-identity-edge-chat-completions-validation-error-ca-dfc62e": "temperature",
};
