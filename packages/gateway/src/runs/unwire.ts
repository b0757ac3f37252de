import { isWire, type ResponseEvent } from "antiphon";

/** Batches in which what was only passed on is events again, for readers other than the client that it was passed on to. */
export async function* unwired(batches: AsyncIterable<ResponseEvent[]>): AsyncGenerator<ResponseEvent[]> {
  for await (const batch of batches)
    yield batch.some(isWire) ? batch.flatMap((event) => (isWire(event) ? eventsIn(event.text) : [event])) : batch;
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
