import { chatCodec } from "../codecs/chat/client.ts";
import type { Codec } from "../codecs/codec.ts";
import { geminiCodec } from "../codecs/gemini/client.ts";
import { messagesCodec } from "../codecs/messages/client.ts";
import { responsesCodec } from "../codecs/responses/client.ts";
import type { Dialects, ServerPreset, Wire } from "./preset.ts";

/** How each wire is spoken. */
const codecs: { [W in Wire]: (dialect?: Dialects[W]) => Codec } = {
  responses: responsesCodec,
  chat: chatCodec,
  messages: messagesCodec,
  gemini: geminiCodec,
};

/** The codec of a preset's wire, in the preset's dialect. */
export const codecOf = <W extends Wire>(preset: ServerPreset<W>): Codec => codecs[preset.wire](preset.dialect);
