const everyChunk =
  "Models of the first generation put a finish reason on every chunk: where such a stream breaks cannot be told.";
const licensed = "Citations with a licence are told apart from those without, so their order changes.";
const failed = "Another code: Google has fewer names for failures than we have codes.";

const mp3 = "The server has two names for the same format of sound.";
const numberAsText = "A result that is a number becomes its text, without a declared loss.";
const emptyText = "An empty text of the model is left out.";
const resultSchema = "The schema of a function's result is lost, without a declared loss.";
const validated = "The mode `VALIDATED` becomes `AUTO`, without a declared loss.";
const modelLast = "A user's message is put behind the model's, a declared loss; the server takes it without.";
const noThoughts = "`includeThoughts: false` is left out, which means the same.";
const serverSide = "`includeServerSideToolInvocations` is lost, without a declared loss.";

/** Recordings that break a law by their own fault, each with the reason; reviewed by a person. */
export const exceptions: Record<
  "fold" | "chunking" | "lifecycle" | "truncation" | "mirror" | "plain" | "written" | "requests",
  Record<string, string>
> = {
  fold: {},
  chunking: {},
  lifecycle: {},
  truncation: {
    "gemini-vertex/firebase--streaming-failure-error-mid-stream": everyChunk,
    "gemini-vertex/firebase--streaming-failure-recitation-no-content": everyChunk,
    "gemini-vertex/firebase--streaming-failure-unknown-finish-enum": everyChunk,
    "gemini-vertex/firebase--streaming-success-citations": everyChunk,
    "gemini-vertex/firebase--streaming-success-unknown-safety-enum": everyChunk,
    "gemini-vertex/firebase--streaming-success-utf8": everyChunk,
    "gemini/gemini-cli--user-policy--01": "Two answers in one stream, each with a finish reason.",
    "gemini/js-genai--client-tests-server-side-mcp-server-ml-dev-should-call-s-3215df":
      "The call of a remote MCP server has a finish reason of its own, before the server's answer.",
  },
  mirror: {
    "gemini-vertex/firebase--streaming-failure-invalid-json": failed,
    "gemini-vertex/firebase--streaming-failure-malformed-content": failed,
    "gemini-vertex/firebase--streaming-success-quotes-escaped": failed,
    "gemini/gemini-cli--context-compress-interactive-compress": failed,
    "gemini-vertex/firebase--streaming-success-citations": licensed,
  },
  plain: {},
  written: { "gemini/firebase--unary-success-citations": licensed },
  requests: {
    "gemini-vertex/otel--generate-content-invalid-role": "A role that the real server refused too.",
    "gemini-vertex/pydantic-ai--model-sees-multiple-images-google-vertex--02":
      "Media by URL in a result follow it, a declared loss.",
    "gemini-vertex/pydantic-ai--multimodal-tool-return-matrix-direct-binary-audio-google-vertex--04": mp3,
    "gemini-vertex/pydantic-ai--multimodal-tool-return-matrix-direct-url-force-download-42a080--05": mp3,
    "gemini/crewai--gemma3-gemini-gemma-3-27b-it": "An empty list of stop sequences is left out.",
    "gemini/js-genai--afc-streaming-tests-chat-stream-afc-enabled-afc-max-call-38a953--02": numberAsText,
    "gemini/js-genai--afc-streaming-tests-chat-stream-afc-enabled-afc-max-call-38a953--03": numberAsText,
    "gemini/js-genai--chats-tests-sendmessage-google-ai-with-empty-text": emptyText,
    "gemini/js-genai--chats-tests-sendmessage-multiple-messages-with-server-si-7f7513--02":
      "A result inside the model's turn follows in the user's.",
    "gemini/js-genai--mcp-related-client-tests-generatecontent-ml-dev-test-wit-239f23": resultSchema,
    "gemini/js-genai--mcp-related-client-tests-generatecontent-ml-dev-test-wit-8c2f6a": resultSchema,
    "gemini/js-genai--mcp-related-client-tests-generatecontent-ml-dev-test-wit-f28287": resultSchema,
    "gemini/lingua--toolmodevalidatedparam-followup-r--02--stream": validated,
    "gemini/lingua--toolmodevalidatedparam-r--01": validated,
    "gemini/llm-gemini--tools-with-gemini-3-thought-signatures--02": emptyText,
    "gemini/mastra--d4f909c5--01": "Adjacent texts of the model are sent as one.",
    "gemini/mastra--ec76f34b--01": modelLast,
    "gemini/mastra--memory-integration-tests-src-message-ordering-v6--22": modelLast,
    "gemini/mastra--memory-integration-tests-src-message-ordering-v6--24": modelLast,
    "gemini/mastra--memory-integration-tests-src-message-ordering-v6--26": modelLast,
    "gemini/mastra--memory-integration-tests-src-message-ordering-v6--28": modelLast,
    "gemini/mastra--memory-integration-tests-src-message-ordering-v6--31": modelLast,
    "gemini/mirascope--call-with-params-google-gemini-2-5-flash--01": noThoughts,
    "gemini/mirascope--call-with-params-google-gemini-2-5-flash--02": noThoughts,
    "gemini/mirascope--call-with-text-encoded-thoughts-google-gemini-2-5-flash--01": noThoughts,
    "gemini/mirascope--google-gemini-2-5-flash-async-5906": noThoughts,
    "gemini/mirascope--google-gemini-2-5-flash-sync-b0d1": noThoughts,
    "gemini/mirascope--strict-mode-with-streamed-thinking-google-gemini-3-pro-preview--02": "Levels are sent in lower case.",
    "gemini/pydantic-ai--google-model-file-search-grounding-gemini-3-false--04": serverSide,
    "gemini/pydantic-ai--google-model-file-search-grounding-gemini-3-false--05": serverSide,
    "gemini/pydantic-ai--google-model-file-search-grounding-gemini-3-true--04": serverSide,
    "gemini/pydantic-ai--google-model-file-search-grounding-gemini-3-true--05": serverSide,
    "gemini/pydantic-ai--multimodal-tool-return-matrix-direct-url-force-download-33a09e--04": mp3,
    "gemini/pydantic-ai--multimodal-tool-return-matrix-direct-url-force-download-c4ea04--03": mp3,
    "gemini/pydantic-ai--multimodal-tool-return-matrix-tool-return-content-binary-7130a0--02": mp3,
    "gemini/ruby-llm--chat-audio-models-gemini-gemini-2-5-flash-can-understand-696e6e": mp3,
  },
};

/** Fields that the decoder neither looks at nor passes on. */
export const unread: string[] = [
  // Means over a whole answer, and numbers of tokens in the model's own vocabulary: the log probabilities themselves are read.
  "candidates[].avgLogprobs",
  // The day on which a recited page was published.
  "candidates[].citationMetadata.citations[].publicationDate",
  // Nonsense, recorded on purpose.
  "candidates[].content.invalid-field",
  "candidates[].content.missing-parts",
  // A result follows its code, so the id tells nothing new.
  "candidates[].content.parts[].codeExecutionResult.id",
  // There is one language, and one role, only.
  "candidates[].content.parts[].executableCode.language",
  "candidates[].content.parts[].functionResponse.name",
  "candidates[].content.role",
  // Whether more pieces follow shows when they do.
  "candidates[].content.parts[].functionCall.partialArgs[].willContinue",
  // What the caller stored beside a file.
  "candidates[].groundingMetadata.groundingChunks[].retrievedContext.customMetadata",
  // How sure the server is that a page backs a sentence; newer models leave it out.
  "candidates[].groundingMetadata.groundingSupports[].confidenceScores",
  // Always empty.
  "candidates[].groundingMetadata.retrievalMetadata",
  "candidates[].logprobsResult.chosenCandidates[].tokenId",
  "candidates[].logprobsResult.topCandidates[].candidates[].tokenId",
  // Where a rating had consequences, the finish reason or the block reason tells them.
  "candidates[].safetyRatings",
  "promptFeedback.safetyRatings",
  // Nonsense, recorded on purpose.
  "this",
  // Belongs to Google's stateful API, which a server-side MCP call goes through.
  "turnToken",
  // The same tokens again, by modality.
  "usageMetadata.cacheTokensDetails",
  "usageMetadata.candidatesTokensDetails",
  "usageMetadata.promptTokensDetails",
  "usageMetadata.toolUsePromptTokensDetails",
  // How the tokens are billed.
  "usageMetadata.trafficType",
];
