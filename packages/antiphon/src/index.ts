export * from "./model/index.ts";
export { blankResponse } from "./core/blank-response.ts";
export { collect } from "./core/collect.ts";
export { AntiphonError, type ErrorDetails } from "./core/error.ts";
export { errorCodes, type ErrorCode } from "./core/error-codes.ts";
export { expand } from "./core/expand.ts";
export { PartialJson } from "./core/partial-json.ts";
export type { Loss, Repair } from "./core/loss.ts";
export type { Machine } from "./core/machine.ts";
export { reduce, Reducer, type FoldSnapshot } from "./core/reduce.ts";
export { piecesOf, unrun } from "./core/runs.ts";
export {
  batchesOf,
  fromBatches,
  lazily,
  type CallOptions,
  type EventStream,
  type Middleware,
  type Respond,
  type RetryOptions,
  type Timeouts,
} from "./core/respond.ts";
export { abortSignal, Stop, type StopSignal } from "./core/stop.ts";
export { addUsage, cost, estimateUsage, noUsage, type Price } from "./core/usage.ts";
export {
  finishReason,
  functionCalls,
  hoistInstructions,
  outcome,
  refusal,
  text,
  thinking,
  type FinishReason,
  type Outcome,
} from "./core/views.ts";
export { Writer, type CallStart, type Finish, type WriterContext } from "./core/writer.ts";
export type { Codec, Ctx, Decoder, EncodedRequest, HeaderReader, ServerCodec, StreamPosition } from "./codecs/codec.ts";
export type {
  Answer,
  Chunk,
  HttpRequest,
  HttpResponse,
  LocalUpstream,
  Transport,
  Upstream,
  WireUpstream,
} from "./transport/upstream.ts";
export {
  background,
  inBackground,
  type Background,
  type BackgroundOptions,
  type JobOptions,
  type JobSnapshot,
  type JobStream,
  type PollOptions,
} from "./transport/background.ts";
export { newId } from "./transport/ids.ts";
export { connect, fetchJson, type ConnectOptions, type FetchJsonOptions } from "./transport/connect.ts";
export { connectSocket, type ConnectSocketOptions, type SocketRespond } from "./transport/websocket-connect.ts";
export type { OpenWebSocket, WebSocketEvent, WebSocketLike, WebSocketOptions } from "./transport/websocket.ts";
export * from "./providers/index.ts";
export { nearest } from "./core/nearest.ts";
export * from "./tools/index.ts";
export * from "./agent/index.ts";
