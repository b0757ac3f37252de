import { readFileSync } from "node:fs";
import { embedder, topK } from "antiphon/embeddings";
import { chosenProvider } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import { linesOf } from "./embedding-lines.ts";
import { defined } from "./defined.ts";
import { exitCodes } from "./exit-codes.ts";
import { CommandError, readArguments, UsageError, wholeNumber } from "./options.ts";
import { readInput } from "./standard-input.ts";

/** A line of `embed create`. */
interface Embedded {
  id: string;
  text: string;
  model?: string;
  embedding: number[];
}

/** Prints the texts most similar to a query and returns the exit code. */
export async function embedSearch(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands["embed search"], args);
  const query = words.join(" ").trim();
  if (query === "") throw new UsageError("specify a query");
  if (flags.index === undefined) throw new UsageError("--index is required: a file made by `antiphon embed create`");
  const count = wholeNumber("count", flags.count) ?? 5;
  const atLeast = flags["at-least"] === undefined ? undefined : Number(flags["at-least"]);
  if (atLeast !== undefined && !Number.isFinite(atLeast))
    throw new UsageError(`--at-least must be a number, not "${flags["at-least"]}"`);
  const settings = await settingsFor(commands["embed search"], { flags });
  const entries = await readIndex(flags.index);
  const dimensions = wholeNumber("dimensions", flags.dimensions);
  const embed = embedder(chosenProvider(settings, { kind: "embeddings", baseUrl: flags["base-url"] }), {
    ...(dimensions && { dimensions }),
  });
  const { vector, model } = await embed.query(query, { signal });
  checkModel(entries, vector.length, model);
  for (const { index, score } of topK(
    vector,
    entries.map(({ embedding }) => embedding),
    count,
    defined({ atLeast }),
  )) {
    const { embedding: _, ...entry } = entries[index]!;
    process.stdout.write(`${flags.json ? JSON.stringify({ score, ...entry }) : line(score, entry)}\n`);
  }
  return exitCodes.ok;
}

const preview = 100;

function line(score: number, { id, text }: Omit<Embedded, "embedding">): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return `${score.toFixed(3)}  ${id}  ${flat.length > preview ? `${flat.slice(0, preview)}…` : flat}`;
}

async function readIndex(path: string): Promise<Embedded[]> {
  let text: string;
  try {
    text = path === "-" ? (await readInput()).toString("utf8") : readFileSync(path, "utf8");
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`--index: cannot read ${path}`);
  }
  const entries = [...linesOf(text)].map(([number, written]) => readEntry(written, `${path}:${number}`));
  if (entries.length === 0) throw new CommandError(`--index: ${path} is empty`);
  return entries;
}

function readEntry(written: string, place: string): Embedded {
  let value: Partial<Embedded> = {};
  try {
    value = Object(JSON.parse(written)) as Partial<Embedded>;
  } catch {
    // Reported below: a line that is not JSON has no vector either.
  }
  const { id = place, text = "", embedding } = value;
  if (!Array.isArray(embedding) || embedding.length === 0 || !embedding.every(Number.isFinite))
    throw new CommandError(`${place}: this line has no vector; create the file with \`antiphon embed create\``);
  return { ...value, id, text, embedding };
}

/** Vectors of different models cannot be compared, even if they have the same length. */
function checkModel(entries: readonly Embedded[], length: number, model: string): void {
  const other = entries.find(
    (entry) => entry.embedding.length !== length || (entry.model !== undefined && entry.model !== model),
  );
  if (!other) return;
  const isSameModel = other.model === undefined || other.model === model;
  throw new CommandError(
    isSameModel
      ? `${other.id} has ${other.embedding.length} dimensions, the query has ${length}; use the same --model and --dimensions`
      : `${other.id} was embedded with ${other.model}, the query with ${model}; use the same --model`,
  );
}
