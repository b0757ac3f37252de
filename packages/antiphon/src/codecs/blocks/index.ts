export type {
  BlockAbort,
  BlockDelta,
  BlockDeltaFields,
  BlockEndFields,
  BlockError,
  BlockEvent,
  BlockKind,
  BlockPing,
  BlockStart,
  BlockStartFields,
  BlockStatus,
  BlockStop,
  BlockUsage,
  StopReason,
  ThinkingSource,
} from "./block-events.ts";
export { decodeBlocks } from "./decode-response.ts";
export { createBlockDecoder } from "./decode-stream.ts";
export { encodeBlocks } from "./encode-response.ts";
export { createBlockEncoder } from "./encode-stream.ts";
