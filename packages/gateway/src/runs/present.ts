import type { CreateResponse, ResponseEvent, ResponseResource } from "antiphon";

/** What a client is shown of its own request, whatever the model behind the gateway made of it. */
export interface Presented {
  id: string;
  /** When it was asked for, in seconds since 1970. */
  created_at: number;
  /** As the client wrote it. */
  request: CreateResponse;
  /** As clients call it. */
  model: string;
  store: boolean;
}

export const conversationOf = ({ conversation = null }: CreateResponse): string | null =>
  typeof conversation === "object" ? (conversation?.id ?? null) : conversation;

/** The fields of a response that are the gateway's to tell: its id, its time, and what of the request was meant for the gateway itself. */
export function present(response: ResponseResource, presented: Presented): ResponseResource {
  const { id, created_at, request, model, store } = presented;
  const conversation = conversationOf(request);
  return {
    ...response,
    id,
    created_at,
    model,
    store,
    background: request.background ?? false,
    previous_response_id: request.previous_response_id ?? null,
    instructions: request.instructions ?? null,
    metadata: request.metadata ?? {},
    ...(conversation === null ? {} : { conversation: { id: conversation } }),
  };
}

/** Puts the gateway's fields into the events that carry a response; all others pass as they are. */
export const presentBatch = (batch: ResponseEvent[], presented: Presented): ResponseEvent[] =>
  batch.some(carriesResponse)
    ? batch.map((event) => (carriesResponse(event) ? { ...event, response: present(event.response, presented) } : event))
    : batch;

const lifecycle: ReadonlySet<string> = new Set([
  "response.created",
  "response.queued",
  "response.in_progress",
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

type Lifecycle = Extract<ResponseEvent, { response: ResponseResource }>;

/** Whether an event tells the whole response. */
export const carriesResponse = (event: ResponseEvent): event is Lifecycle => lifecycle.has(event.type);
