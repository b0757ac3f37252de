import type { Codec } from "../codecs/codec.ts";
import { AntiphonError } from "../core/error.ts";
import type { Dialects, ServerPreset, Wire } from "./preset.ts";

type MakeCodec<W extends Wire> = (dialect?: Dialects[W]) => Codec;

/** Something that is read when it is first needed. */
interface Waiting<T> {
  value?: T;
  load(): Promise<void>;
}

function waiting<T>(load: () => Promise<T>): Waiting<T> {
  const it: Waiting<T> = {
    load: async () => {
      it.value ??= await load();
    },
  };
  return it;
}

/** How each wire is spoken. Most programs speak one, and reading the code of all takes as long as reading everything else. */
const wires: { [W in Wire]: Waiting<MakeCodec<W>> } = {
  responses: waiting(async () => (await import("../codecs/responses/client.ts")).responsesCodec),
  chat: waiting(async () => (await import("../codecs/chat/client.ts")).chatCodec),
  messages: waiting(async () => (await import("../codecs/messages/client.ts")).messagesCodec),
  gemini: waiting(async () => (await import("../codecs/gemini/client.ts")).geminiCodec),
};

/** The codec of a preset's wire, in the preset's dialect; read when it is first needed. */
export function codecOf<W extends Wire>({ wire, dialect }: ServerPreset<W>): Codec {
  const source: Waiting<MakeCodec<W>> = wires[wire];
  let codec = source.value?.(dialect);
  if (codec) return codec;
  const loaded = (): Codec => {
    codec ??= source.value?.(dialect);
    if (codec) return codec;
    throw new AntiphonError("BAD_REQUEST", `The codec for ${wire} is not loaded yet. Await its \`load\` first.`);
  };
  return {
    load: () => source.load(),
    ...(wire === "responses" && { wire }),
    encodeRequest: (ctx) => loaded().encodeRequest(ctx),
    decodeResponse: (ctx, reply) => loaded().decodeResponse(ctx, reply),
    createDecoder: (ctx, from) => loaded().createDecoder(ctx, from),
    createRelay: (ctx) => loaded().createRelay?.(ctx),
    decodeError: (status, headers, body) => loaded().decodeError(status, headers, body),
    errorIn: (value) => loaded().errorIn(value),
  };
}
