interface CodeInfo {
  /** What happened. */
  meaning: string;
  /** What the reader can do. */
  advice: string;
  /** Whether the same request may succeed a little later. */
  retry: boolean;
}

/** Every code that an `AntiphonError` may carry. `docs/errors.md` is generated from this table. */
export const errorCodes = {
  AUTH_ERROR: {
    meaning: "The key is missing or was refused.",
    advice: "Set the provider's key variable, or pass `apiKey`, and check that the key belongs to this endpoint.",
    retry: false,
  },
  PERMISSION: {
    meaning: "The key is valid, but not for this model, region or feature.",
    advice: "Ask for access, or use a model that this key may use.",
    retry: false,
  },
  RATE_LIMIT: {
    meaning: "Too many requests in a short time.",
    advice: "Wait for `retryAfter`, or send fewer requests at once.",
    retry: true,
  },
  TOKEN_RATE_LIMIT: {
    meaning: "Too many tokens in a short time.",
    advice: "Wait for `retryAfter`, or send shorter requests.",
    retry: true,
  },
  QUOTA_EXCEEDED: {
    meaning: "The account's credit or monthly budget is used up.",
    advice: "Add credit or raise the budget at the provider; waiting does not help.",
    retry: false,
  },
  CONNECTION_ERROR: {
    meaning: "The server could not be reached, or the connection broke before an answer came.",
    advice: "Check the base URL, the network and the proxy; for a local server, check that it runs.",
    retry: true,
  },
  TIMEOUT: {
    meaning: "Nothing came within the time that the caller or the server allowed.",
    advice: "Raise the timeout that the message names, or ask for less; `docs/timeouts.md` lists all of them.",
    retry: false,
  },
  INVALID_MODEL: {
    meaning: "The provider does not know the model.",
    advice: "Check the name against `listModels()`.",
    retry: false,
  },
  NOT_FOUND: {
    meaning: "The endpoint, response, item or file does not exist.",
    advice: "Check the id and the base URL; stored responses expire.",
    retry: false,
  },
  CHAIN_NOT_FOUND: {
    meaning: "`previous_response_id` names a response that the server no longer has.",
    advice: "Send the whole history instead of the id.",
    retry: false,
  },
  CONTEXT_LENGTH_EXCEEDED: {
    meaning: "The input does not fit the model's context window.",
    advice: "Shorten or summarise the history, or use a model with a larger window.",
    retry: false,
  },
  INVALID_SCHEMA: {
    meaning: "The provider refuses a tool's or the output's JSON Schema.",
    advice: "Look at `param`; under strict mode every property is required and nothing else is allowed.",
    retry: false,
  },
  INVALID_ENCRYPTED_CONTENT: {
    meaning: "A reasoning or compaction blob was made elsewhere, or for another account.",
    advice: "Remove `encrypted_content` from the items and send them again.",
    retry: false,
  },
  CONTENT_POLICY: {
    meaning: "The provider's safety system blocked the input or the output.",
    advice: "Change the prompt; the same one will be blocked again.",
    retry: false,
  },
  BAD_REQUEST: {
    meaning: "The provider refuses the request as it stands.",
    advice: "Look at `param` and the message.",
    retry: false,
  },
  SERVER_OVERLOADED: {
    meaning: "The provider has no capacity at the moment.",
    advice: "Try again later, or use another model.",
    retry: true,
  },
  SERVER_ERROR: {
    meaning: "The provider failed.",
    advice: "Try again; if it stays, tell the provider the `requestId`.",
    retry: true,
  },
  TRUNCATED: {
    meaning: "The stream ended before its terminal event.",
    advice: "What had arrived is in the response; ask again, or continue from it.",
    retry: true,
  },
  PROTOCOL: {
    meaning: "The server sent something that its wire format does not allow.",
    advice: "Check that the base URL speaks the wire that the provider names.",
    retry: false,
  },
  ABORTED: {
    meaning: "The caller stopped the request.",
    advice: "Nothing to do: the caller asked for it.",
    retry: false,
  },
  UNSUPPORTED: {
    meaning: "The wire or the model cannot do what was asked.",
    advice: "Leave the feature out, or use a provider that has it; `docs/providers.md` lists them.",
    retry: false,
  },
} as const satisfies Record<string, CodeInfo>;

export type ErrorCode = keyof typeof errorCodes;

/** Whether a string is one of the codes. */
export const isErrorCode = (value: string): value is ErrorCode => Object.hasOwn(errorCodes, value);
