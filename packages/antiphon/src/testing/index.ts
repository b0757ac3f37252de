export { abortLaw, type WatchedModel } from "./abort-law.ts";
export {
  chunkingLaw,
  cut,
  decodeBytes,
  decodeValues,
  foldLaw,
  identityLaw,
  lifecycleLaw,
  parityLaw,
  roundTripLaw,
  truncationLaw,
  unreadLaw,
  type Finding,
  type MakeCtx,
} from "./laws.ts";
export { offline, type OfflineOptions, type OfflineStore } from "./offline/index.ts";
export { record, type Recorder, type RecordOptions } from "./record.ts";
export { replay, type Replayer, type ReplayOptions } from "./replay.ts";
export { scripted, type Scripted, type ScriptedAnswer, type ScriptedOptions, type ScriptedTurn } from "./scripted.ts";
export { memoryTape, type Exchange, type Tape } from "./tape.ts";
export type { MaskOptions } from "./mask.ts";
