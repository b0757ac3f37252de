import type { Codec } from "../codecs/codec.ts";
import { responsesCodec } from "../codecs/responses/index.ts";
import type { Dialects, ServerPreset, Wire } from "./preset.ts";

/** How each wire is spoken. */
const codecs: { [W in Wire]: (dialect?: Dialects[W]) => Codec } = {
  responses: responsesCodec,
};

/** The codec of a preset's wire, in the preset's dialect. */
export const codecOf = (preset: ServerPreset): Codec => codecs[preset.wire](preset.dialect);
