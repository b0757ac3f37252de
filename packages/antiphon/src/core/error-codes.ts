interface CodeInfo {
  /** What happened. */
  meaning: string;
  /** What the reader can do. For `BAD_REQUEST`, an error inserts the name of its own parameter. */
  advice: string;
  /** Whether the same request may succeed a little later. */
  retry: boolean;
}

/**
 * Every code of `AntiphonError`, with its meaning, advice, and whether a retry can help. `docs/errors.md` is
 * generated from this table.
 */
export const errorCodes = {
  AUTH_ERROR: {
    meaning: "The API key is missing or was rejected.",
    advice: "Check that the API key is set, valid and meant for this endpoint.",
    retry: false,
  },
  PERMISSION: {
    meaning: "The API key has no access to this model, region or feature.",
    advice: "Request access, or use a model that the key can use.",
    retry: false,
  },
  RATE_LIMIT: {
    meaning: "The provider received too many requests in a short time.",
    advice: "Wait for `retryAfter` milliseconds, or send fewer requests at once.",
    retry: true,
  },
  TOKEN_RATE_LIMIT: {
    meaning: "The provider received too many tokens in a short time.",
    advice: "Wait for `retryAfter` milliseconds, or send shorter requests.",
    retry: true,
  },
  QUOTA_EXCEEDED: {
    meaning: "The account's credit or monthly budget is used up.",
    advice: "Add credit or raise the budget at the provider. Waiting does not help.",
    retry: false,
  },
  CONNECTION_ERROR: {
    meaning: "The server could not be reached, or the connection broke before the response was complete.",
    advice: "Check the base URL, the network and the proxy. For a local server, check that it is running.",
    retry: true,
  },
  TIMEOUT: {
    meaning: "The response did not arrive within the time limit.",
    advice: "Raise the timeout that the message names, or request less output. `docs/timeouts.md` lists all timeouts.",
    retry: false,
  },
  INVALID_MODEL: {
    meaning: "The provider does not know the model.",
    advice: "Check the model name. `listModels()` returns the available models.",
    retry: false,
  },
  NOT_FOUND: {
    meaning: "The endpoint, response, item or file does not exist.",
    advice: "Check the id and the base URL. Stored responses expire.",
    retry: false,
  },
  CHAIN_NOT_FOUND: {
    meaning: "The server no longer has the response that `previous_response_id` refers to.",
    advice: "Send the whole history instead of the id.",
    retry: false,
  },
  CONTEXT_LENGTH_EXCEEDED: {
    meaning: "The input does not fit the model's context window.",
    advice: "Shorten or summarise the history, or use a model with a larger context window.",
    retry: false,
  },
  INVALID_SCHEMA: {
    meaning: "The JSON Schema of a tool or of the output is invalid or not supported.",
    advice: "Correct the schema. In strict mode, every property is required and no other properties are allowed.",
    retry: false,
  },
  INVALID_ENCRYPTED_CONTENT: {
    meaning: "The provider cannot decrypt a reasoning or compaction item: another provider or account created it.",
    advice: "Remove `encrypted_content` from the items and send them again.",
    retry: false,
  },
  CONTENT_POLICY: {
    meaning: "The provider's safety system blocked the input or the output.",
    advice: "Change the prompt. The same prompt will be blocked again.",
    retry: false,
  },
  BAD_REQUEST: {
    meaning: "An argument, option or request field is wrong.",
    advice: "Correct the value that `param` names.",
    retry: false,
  },
  SERVER_OVERLOADED: {
    meaning: "The provider has no free capacity at the moment.",
    advice: "Try again later, or use another model.",
    retry: true,
  },
  SERVER_ERROR: {
    meaning: "The provider failed with an internal error.",
    advice: "Try again. If the error persists, send the `requestId` to the provider's support.",
    retry: true,
  },
  TRUNCATED: {
    meaning: "The response ended before it was complete.",
    advice: "Send the request again, or continue from the partial response.",
    retry: true,
  },
  PROTOCOL: {
    meaning: "The server sent an invalid response.",
    advice: "Check that the server at the base URL supports the provider's API.",
    retry: false,
  },
  INVALID_OUTPUT: {
    meaning: "The model's answer does not match the output schema.",
    advice: "Describe the fields in the schema, simplify it, or use a more capable model. `reply` contains the answer.",
    retry: false,
  },
  ABORTED: {
    meaning: "The caller cancelled the request.",
    advice: "If this was unexpected, check the abort signal that was passed to the call.",
    retry: false,
  },
  UNSUPPORTED: {
    meaning: "The API, the model or the runtime does not support a feature that the request uses.",
    advice: "Remove the feature, or use a provider that supports it. `docs/providers.md` lists them.",
    retry: false,
  },
} as const satisfies Record<string, CodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

/** Whether a string is one of the codes. */
export const isErrorCode = (value: string): value is ErrorCode => Object.hasOwn(errorCodes, value);
