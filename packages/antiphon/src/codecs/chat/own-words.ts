/** The type of items that hold speech: OpenAI's own, and not of the specification. */
export const audioItem = "openai:audio" as const;

/**
 * The format of `reasoning_details` that carry a thought's `encrypted_content` through a client of our server: clients of routers
 * send details back as they came.
 */
export const blobFormat = "antiphon";
