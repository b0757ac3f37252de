const everyChunk =
  "Models of the first generation put a finish reason on every chunk: where such a stream breaks cannot be told.";
const licensed = "Citations with a licence are told apart from those without, so their order changes.";
const failed = "Another code: Google has fewer names for failures than we have codes.";

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
  requests: {},
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
