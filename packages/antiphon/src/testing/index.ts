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
export { containerEndpoint, type ContainerEndpoint, type SimulatedContainers, type SimulatedFile } from "./containers.ts";
export { planLaw, resumeLaw, type HeldConversation } from "./conversation-laws.ts";
export { offline, type OfflineOptions, type OfflineStore } from "./offline/index.ts";
export { record, type Recorder, type RecordOptions } from "./record.ts";
export { replay, type Replayer, type ReplayOptions } from "./replay.ts";
export { scripted, type Scripted, type ScriptedAnswer, type ScriptedOptions, type ScriptedTurn } from "./scripted.ts";
export { testSessionStore, type StoreCase, type StoreUnderTest } from "./session-store-suite.ts";
export {
  stateful,
  type Random,
  type Stateful,
  type StatefulOptions,
  type StatefulRule,
  type StatefulTurn,
} from "./stateful/index.ts";
export { memoryTape, type Exchange, type Tape } from "./tape.ts";
export type { MaskOptions } from "../core/mask.ts";
