/** How a server's Responses differ from the next one's; a preset fills in what it needs. */
export interface ResponsesDialect {
  /** Below the base URL. */
  path: string;
  /** Request fields that the server refuses; they are left out, with a declared loss. */
  drops: readonly string[];
  /** Values of `include` that the server refuses. */
  dropsIncludes: readonly string[];
  /** The only input item types that the server takes; all, where left out. */
  itemTypes?: readonly string[];
  /** The only tool types that the server takes; all, where left out. */
  toolTypes?: readonly string[];
  /** Whether reasoning without readable text, only a blob, may be sent back. */
  encryptedReasoning: boolean;
}

/** A server that takes all of the wire. */
export const plainDialect: ResponsesDialect = { path: "/responses", drops: [], dropsIncludes: [], encryptedReasoning: true };
