import { readFileSync } from "node:fs";
import { fromBatches, reduce, type Codec, type Respond, type ResponseEvent, type ResponseResource } from "antiphon";
import { chatCodec } from "antiphon/codecs/chat";
import { geminiCodec } from "antiphon/codecs/gemini";
import { messagesCodec } from "antiphon/codecs/messages";
import { responsesCodec } from "antiphon/codecs/responses";
import { decodeBytes } from "antiphon/testing";
import { referenceFile } from "../../support/reference.ts";

const file = (path: string): URL => referenceFile(`recordings/${path}`);

/** A recorded stream, in the common vocabulary. */
export interface Recorded {
  id: string;
  events: ResponseEvent[];
  response: ResponseResource;
}

const codecs: readonly (readonly [RegExp, Codec])[] = [
  [/responses/, responsesCodec()],
  [/chat/, chatCodec()],
  [/anthropic/, messagesCodec()],
  [/gemini/, geminiCodec()],
];

/** Recordings that say one thing twice, and differently: no client could read them as we do. */
const broken: ReadonlySet<string> = new Set([
  // The deltas are not those of the final text.
  "openai-responses/vercel-ai--openai-shell-container-1--stream",
  // Two items have one id.
  "openai-responses/openai-php--responseimagegenerationcreate",
]);

/** Returns every recorded stream of every API. */
export function recordedStreams(): Recorded[] {
  const rows: { id: string; provider: string; stream: boolean }[] = JSON.parse(readFileSync(file("INDEX.json"), "utf8"));
  return rows.flatMap(({ id, provider, stream }) => {
    const codec = codecs.find(([names]) => names.test(provider))?.[1];
    return codec && stream && !broken.has(id) ? [decode(id, codec)] : [];
  });
}

function decode(id: string, codec: Codec): Recorded {
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${(count += 1)}`;
  const ctx = { request: { model: "recorded" }, newId, now: () => 1_767_225_600 };
  const events = decodeBytes(codec, ctx, [readFileSync(file(`${id}/response.sse`))]);
  return { id, events, response: reduce(events) };
}

// About as many as come in one read of a quick network.
const eventsInBatch = 16;

/** A model that says what was recorded, whatever it is asked. */
export const replaying =
  ({ events }: Recorded): Respond =>
  () =>
    fromBatches(async function* play() {
      for (let at = 0; at < events.length; at += eventsInBatch) yield events.slice(at, at + eventsInBatch);
    });
