import { isRun, isWire, piecesOf, type ResponseEvent } from "antiphon";

/** Batches in which what was only passed on, or came as a run, is events again, for readers other than the client that it was meant for. */
export async function* unwired(batches: AsyncIterable<ResponseEvent[]>): AsyncGenerator<ResponseEvent[]> {
  for await (const batch of batches) yield batch.some((event) => isWire(event) || isRun(event)) ? batch.flatMap(eventsOf) : batch;
}

function eventsOf(event: ResponseEvent): ResponseEvent[] {
  if (isWire(event)) return eventsIn(event.text);
  return isRun(event) ? piecesOf(event) : [event];
}

const dataField = "\ndata: ";

/** The events in whole frames of two lines, `event` and `data`: a relay passes no others on. What only ends a stream is none. */
export function eventsIn(text: string): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  for (let at = text.indexOf(dataField); at !== -1; at = text.indexOf(dataField, at + 1)) {
    const from = at + dataField.length;
    if (text[from] === "{") events.push(JSON.parse(text.slice(from, text.indexOf("\n\n", from))) as ResponseEvent);
  }
  return events;
}
