import type { CreateResponse } from "antiphon";

/** What is known of a request beside its body, and must be known to whoever runs it later. */
export interface Ticket {
  /** Whose limits and budget it counts against. */
  key: string | undefined;
  /** What goes upstream of the client's headers. */
  headers: Record<string, string>;
  requestId: string | undefined;
}

const field = "antiphon:run";
const blank: Ticket = { key: undefined, headers: {}, requestId: undefined };

type Kept = CreateResponse & { [field]?: Ticket };

/** A request as it is kept for later. What a client wrote in the place of the ticket is nobody's word. */
export const withTicket = (request: CreateResponse, ticket: Ticket): Kept => ({ ...request, [field]: ticket });

/** The request as the client wrote it, and what was kept with it. */
export function splitTicket(kept: Kept): { request: CreateResponse; ticket: Ticket } {
  const { [field]: ticket, ...request } = kept;
  return { request, ticket: { ...blank, ...ticket } };
}
