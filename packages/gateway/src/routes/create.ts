import { AntiphonError, isWire, outcome, type CreateResponse } from "antiphon";
import { jsonIn } from "antiphon/codecs/responses";
import type { Context } from "../context.ts";
import { json, jsonBody, withHeaders, type Exchange, type Reply } from "../http/exchange.ts";
import type { Face } from "../http/faces.ts";
import { lossHeaders } from "../http/losses.ts";
import { streamReply } from "../http/write-stream.ts";
import { runForeground, type Running } from "../runs/foreground.ts";
import { acceptJob, lossesOf, type Job } from "../runs/job.ts";
import { upstreamHeaders } from "../security/upstream-headers.ts";
import type { CallerHandler } from "./guarded.ts";
import { bodyReader } from "./read-body.ts";

/** Answers the requests of a route for responses: plain, streamed, or to be fetched later. */
export function create(context: Context, face: Face, route: string): CallerHandler {
  const read = bodyReader(context, route);
  return async (exchange, _, caller) => {
    const { body } = await read(exchange);
    const request = face.codec.decodeRequest(body);
    const headers = upstreamHeaders(exchange.headers, context.passedOn);
    const job = await acceptJob(context, request, {
      face,
      caller,
      headers,
      requestId: exchange.requestId,
      ...(exchange.trace && { trace: exchange.trace }),
    });
    return request.background
      ? inBackground(context, face, request, job, exchange)
      : inForeground(context, face, request, job, exchange);
  };
}

async function inBackground(
  context: Context,
  face: Face,
  request: CreateResponse,
  job: Job,
  { signal }: Exchange,
): Promise<Reply> {
  const response = await context.background.submit(job);
  const headers = job.admission?.headers;
  if (!request.stream) return json(200, face.codec.encodeResponse(response), headers);
  const batches = await context.background.follow(response.id, job.stored.owner, signal);
  if (!batches) throw new AntiphonError("SERVER_ERROR", "The response was deleted before it started.");
  return streamReply(batches, { face, request, headers, heartbeat: context.heartbeat });
}

async function inForeground(
  context: Context,
  face: Face,
  request: CreateResponse,
  job: Job,
  { signal }: Exchange,
): Promise<Reply> {
  const running = runForeground(context, job, signal);
  if (!request.stream) return plain(face, running, job);
  const { live } = running;
  const reader = live.read();
  const tape = job.keeps && face.wire === "responses" ? live.record(reader) : undefined;
  const reply = await streamReply(reader, {
    face,
    request,
    headers: job.admission?.headers,
    relays: job.relays,
    tape,
    heartbeat: context.heartbeat,
  });
  return { ...reply, headers: withHeaders(reply.headers, lossHeaders(lossesOf(job, live.losses, face))) };
}

async function plain(face: Face, { live, done }: Running, job: Job): Promise<Reply> {
  // On the other wires the body itself is passed on; it is the first thing that the run tells.
  const passed = job.relays && face.wire !== "responses" ? live.read() : undefined;
  const response = await done;
  const headers = withHeaders(job.admission?.headers, lossHeaders(lossesOf(job, live.losses, face)));
  const end = outcome(response);
  if (end && "error" in end && !face.answersFailures) throw end.error;
  for await (const batch of passed ?? [])
    for (const event of batch) if (isWire(event)) return jsonBody(200, event.bytes, headers);
  const shown = face.codec.encodeResponse(response);
  // To be kept, it was made JSON already.
  const known = shown === response && live.last ? jsonIn(live.last) : undefined;
  return known === undefined ? json(200, shown, headers) : jsonBody(200, known, headers);
}
