import type { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Ctx } from "../codec.ts";
import { parseDataUrl } from "../shared/media.ts";
import { audioItem } from "./own-words.ts";

const key = "audio";
const filled = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Reads pictures and speech. Pictures are generated images; speech is an item of OpenAI's own, and its transcript is text. */
export class MediaReader {
  readonly #ctx: Ctx;
  readonly #writer: Writer;
  #speech: string[] = [];

  constructor(ctx: Ctx, writer: Writer) {
    this.#ctx = ctx;
    this.#writer = writer;
  }

  /** Reads the fields of a delta; gives what was spoken. */
  read({ images, audio }: JsonObject): string {
    if (Array.isArray(images)) for (const image of images) this.#readImage(image);
    return isObject(audio) ? this.#readAudio(audio) : "";
  }

  end(): void {
    if (!this.#writer.isOpen(key)) return;
    this.#writer.set(key, { data: joinBase64(this.#speech) });
    this.#writer.close(key);
  }

  #readImage(image: unknown): void {
    const holder = isObject(image) ? image["image_url"] : undefined;
    const url = isObject(holder) ? holder["url"] : holder;
    if (!filled(url)) return;
    const inline = parseDataUrl(url);
    const format = inline?.mediaType.replace("image/", "");
    const result = inline?.data ?? url;
    const item = { type: "image_generation_call" as const, id: this.#ctx.newId("ig"), status: "completed" as const, result };
    this.#writer.item(format ? Object.assign(item, { output_format: format }) : item);
  }

  #readAudio({ id, data, transcript, expires_at }: JsonObject): string {
    if ((filled(id) || filled(data)) && !this.#writer.isOpen(key)) {
      const name = filled(id) ? id : this.#ctx.newId("audio");
      this.#writer.open(key, { type: audioItem, id: name, status: "in_progress", data: "" });
    }
    if (filled(data)) this.#speech.push(data);
    if (typeof expires_at === "number") this.#writer.set(key, { expires_at });
    return filled(transcript) ? transcript : "";
  }
}

/** One text of many: pieces that were padded are decoded and encoded again together. */
function joinBase64(pieces: readonly string[]): string {
  const padded = pieces.slice(0, -1).some((piece) => piece.endsWith("="));
  return padded ? btoa(pieces.map((piece) => atob(piece)).join("")) : pieces.join("");
}
