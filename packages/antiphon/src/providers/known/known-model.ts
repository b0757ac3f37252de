import type { Modality, ModelFacts, ModelKind } from "../model-info.ts";

/** One line of the table of known models. */
export interface KnownModel extends ModelFacts {
  id: string;
  /** The preset of its maker; `any` for open models whose makers serve none. */
  provider: string;
  kind: ModelKind;
}

export const text: readonly Modality[] = ["text"];
export const seeing: readonly Modality[] = ["text", "image"];
export const reading: readonly Modality[] = ["text", "image", "file"];
export const watching: readonly Modality[] = ["text", "image", "video"];
