/** How a server's Responses differ from the next one's; a preset fills in what it needs. */
export interface ResponsesDialect {
  /** Below the base URL. */
  path: string;
  /** Request fields that the server does not take; they are left out, with a declared loss. */
  drops: readonly string[];
  /** Request fields that the server does not take and that cannot be left out without changing the question: asking is an error. */
  refuses: readonly string[];
  /** Fields of other wires that this server takes too: `seed`, `stop`. */
  keeps: readonly string[];
  /** Values of `include` that the server refuses. */
  dropsIncludes: readonly string[];
  /** The only input item types that the server takes; all, where left out. */
  itemTypes?: readonly string[];
  /** The only tool types that the server takes; all, where left out. */
  toolTypes?: readonly string[];
  /** What reasoning must hold to be sent back: nothing, a summary or raw text, or raw text. */
  reasoning: "any" | "readable" | "text";
  /** Whether other wires' envelopes and fields are sent on, as to a gateway that understands them. */
  envelopes: boolean;
  /** Whether `instructions` may go with `previous_response_id`; where not, they go as a message before the input. */
  chainedInstructions: boolean;
}

/** A server that takes all of the wire. */
export const plainDialect: ResponsesDialect = {
  path: "/responses",
  drops: [],
  refuses: [],
  keeps: [],
  dropsIncludes: [],
  reasoning: "any",
  envelopes: false,
  chainedInstructions: true,
};
