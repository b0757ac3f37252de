import { opens, type CreateResponse, type ResponseEvent, type ResponseResource } from "antiphon";
import { lifecycle, someOf } from "../event-kinds.ts";

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
  /** The response as it stands when it has begun. */
  begun: ResponseResource;
}

export const conversationOf = ({ conversation = null }: CreateResponse): string | null =>
  typeof conversation === "object" ? (conversation?.id ?? null) : conversation;

/** The fields of a response that are the gateway's to tell: its id, its time, and what of the request was meant for the gateway itself. */
export function present(response: ResponseResource, presented: Omit<Presented, "begun">): ResponseResource {
  const { id, created_at, request, model, store } = presented;
  const conversation = conversationOf(request);
  // A copy that is written over is made in a tenth of the time that an object of these fields and a spread takes.
  const shown = { ...response };
  shown.id = id;
  shown.created_at = created_at;
  shown.model = model;
  shown.store = store;
  shown.background = request.background ?? false;
  shown.previous_response_id = request.previous_response_id ?? null;
  shown.instructions = request.instructions ?? null;
  shown.metadata = request.metadata ?? {};
  if (conversation !== null) shown.conversation = { id: conversation };
  return shown;
}

/**
 * Puts the gateway's fields into the events that carry a response; all others pass as they are, and a batch without any is the same one.
 * That a response has begun is told in the gateway's own words, as it is kept; what the model made of it is told at its end.
 */
export function presentBatch(batch: ResponseEvent[], presented: Presented): ResponseEvent[] {
  if (!someOf(batch, presentable)) return batch;
  let last: { told: ResponseResource; shown: ResponseResource } | undefined;
  return batch.map((event) => {
    if (opens(event)) return opening(event.sequence_number, presented);
    if (!carriesResponse(event)) return event;
    if (isOpening(event) && presented.begun.status === "in_progress") return withResponse(event, presented.begun);
    const told = event.response;
    // Two events of the same response stay two of the same.
    if (last?.told !== told) last = { told, shown: present(told, presented) };
    return withResponse(event, last.shown);
  });
}

function withResponse(event: Lifecycle, response: ResponseResource): Lifecycle {
  const copy = { ...event };
  copy.response = response;
  return copy;
}

const isOpening = ({ type }: ResponseEvent): boolean => type === "response.created" || type === "response.in_progress";

const opening = (sequence_number: number, { begun }: Presented): ResponseEvent => ({
  type: sequence_number === 0 ? "response.created" : "response.in_progress",
  sequence_number,
  response: begun,
});

const presentable: ReadonlySet<string> = new Set([...lifecycle, "antiphon:wire"]);

type Lifecycle = Extract<ResponseEvent, { response: ResponseResource }>;

/** Whether an event tells the whole response. */
export const carriesResponse = (event: ResponseEvent): event is Lifecycle => lifecycle.has(event.type);
