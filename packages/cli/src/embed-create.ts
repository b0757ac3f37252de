import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { embedder, type EmbedCall, type Embedder, type EmbedProgress } from "antiphon/embeddings";
import { chosenProvider } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import { linePieces, piecesOf, type Piece } from "./embedding-lines.ts";
import { exitCodes } from "./exit-codes.ts";
import { CommandError, readArguments, UsageError, wholeNumber } from "./options.ts";
import { progressBar } from "./progress.ts";
import { readInput } from "./standard-input.ts";

/** Texts per batch. Bounds the memory for vectors. */
const stretch = 4_096;

/** Embeds texts, writes one line per text and returns the exit code. */
export async function embedCreate(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands["embed create"], args);
  const size = wholeNumber("chunk-size", flags["chunk-size"]) ?? 2_000;
  const overlap =
    flags["chunk-overlap"] === "0" ? 0 : (wholeNumber("chunk-overlap", flags["chunk-overlap"]) ?? Math.min(200, size >> 1));
  if (overlap >= size) throw new UsageError("--chunk-overlap must be less than --chunk-size");
  const dimensions = wholeNumber("dimensions", flags.dimensions);
  const settings = await settingsFor(commands["embed create"], { flags });
  const embed = embedder(chosenProvider(settings, { kind: "embeddings", baseUrl: flags["base-url"] }), {
    ...(dimensions && { dimensions }),
  });
  const pieces = await gather(words, { size, overlap });
  if (pieces.length === 0) throw new CommandError("the input contains no text");
  const bar = progressBar("Embedding");
  const lines = linesFor(pieces, embed, { signal, onProgress: ({ done }) => bar.update(done, pieces.length) });
  try {
    if (flags.output === undefined) await pipeline(lines, process.stdout, { end: false });
    else await pipeline(lines, createWriteStream(flags.output));
  } catch (error) {
    const isFile = error instanceof Error && "syscall" in error && error.syscall === "open";
    throw isFile ? new CommandError(`cannot write ${flags.output}`) : error;
  } finally {
    bar.end();
  }
  return exitCodes.ok;
}

async function* linesFor(pieces: readonly Piece[], embed: Embedder, { signal, onProgress }: EmbedCall): AsyncGenerator<string> {
  for (let from = 0; from < pieces.length; from += stretch) {
    const part = pieces.slice(from, from + stretch);
    const texts = part.map(({ text }) => text);
    const progress = ({ done }: EmbedProgress): void => onProgress?.({ done: from + done, total: pieces.length });
    const { vectors, model } = await embed.documents(texts, { signal, onProgress: progress });
    for (const [at, piece] of part.entries()) yield `${JSON.stringify({ ...piece, model, embedding: [...vectors[at]!] })}\n`;
  }
}

async function gather(words: readonly string[], cut: { size: number; overlap: number }): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (const word of words.length === 0 ? ["-"] : words)
    pieces.push(...(word === "-" ? linePieces((await readInput()).toString("utf8"), "stdin") : piecesOf(word, cut)));
  return pieces;
}
