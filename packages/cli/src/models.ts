import { AntiphonError, listModels, type ModelInfo, type Price, type Provider } from "antiphon";
import { candidates } from "./candidates.ts";
import { chosenProvider, providerNamed } from "./chosen-provider.ts";
import { commands } from "./commands.ts";
import { settingsFor } from "./config/flags.ts";
import type { Settings } from "./config/load.ts";
import { exitCodes } from "./exit-codes.ts";
import { withOwnKeys } from "./failures.ts";
import { readArguments, UsageError, wholeNumber } from "./options.ts";
import { pricesFor } from "./prices.ts";

/** A model with its price and model string. */
type Listed = ModelInfo & { model: string; price?: Price };

/** Seconds to wait for each provider. */
export const listTimeout = 10;
/** Local servers answer immediately or not at all. */
export const localListTimeout = 1_000;

/** Lists the models of providers and returns the exit code. */
export async function models(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.models, args);
  const patience = (wholeNumber("timeout", flags.timeout) ?? listTimeout) * 1000;
  const settings = await settingsFor(commands.models, { flags });
  const asked = words.length > 0 ? named(settings, words, flags["base-url"]) : undefined;
  const found = candidates(settings).map(({ provider, isSetUp }) => ({
    provider,
    patience: isSetUp ? patience : localListTimeout,
    isSetUp,
  }));
  const providers = asked?.map((provider) => ({ provider, patience, isSetUp: true })) ?? found;
  const lists = await Promise.all(providers.map((one) => list(one, asked !== undefined, signal)));
  const priceOf = await pricesFor(settings);
  const listed = lists.flat().map((info): Listed => {
    const price = priceOf(info.provider, info.id);
    return { model: `${info.provider}:${info.id}`, ...info, ...(price && { price }) };
  });
  const wanted = listed.filter(({ kind }) => flags.kind === undefined || kind === flags.kind);
  for (const line of flags.json ? wanted.map((model) => JSON.stringify(model)) : table(wanted)) process.stdout.write(`${line}\n`);
  return exitCodes.ok;
}

function named(settings: Settings, words: readonly string[], baseUrl: string | undefined): Provider[] {
  if (baseUrl !== undefined && words.length > 1) throw new UsageError("--base-url requires exactly one provider");
  return words.map((word) => {
    try {
      if (baseUrl === undefined) return providerNamed(settings, word);
      const { model: _, ...values } = settings.values;
      return chosenProvider({ ...settings, values: { ...values, provider: word } }, { baseUrl });
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  });
}

/** Lists the models of a provider. If it was not named by the user, a failure is only a warning. */
async function list(
  one: { provider: Provider; patience: number; isSetUp: boolean },
  isNamed: boolean,
  signal: AbortSignal,
): Promise<ModelInfo[]> {
  const { provider, patience: total, isSetUp } = one;
  try {
    return await listModels(provider, { signal, timeouts: { total }, retry: { retries: 0 } });
  } catch (error) {
    if (isNamed || signal.aborted || !(error instanceof AntiphonError)) throw error;
    const { code, message } = error;
    if (isSetUp && code !== "UNSUPPORTED")
      process.stderr.write(`antiphon: warning: ${provider.name}: ${code}: ${withOwnKeys(message)}\n`);
    return [];
  }
}

const thousands = (tokens: number | undefined): string => (tokens === undefined ? "" : `${Math.round(tokens / 1000)}k`);

/** The columns of the table. */
const columns: readonly (readonly [head: string, cell: (model: Listed) => string])[] = [
  ["MODEL", ({ model }) => model],
  ["KIND", ({ kind }) => kind],
  ["CONTEXT", ({ contextWindow }) => thousands(contextWindow)],
  ["OUTPUT", ({ maxOutput }) => thousands(maxOutput)],
  ["INPUT", ({ input = [] }) => input.join(",")],
  [
    "FEATURES",
    ({ reasoning, tools, schema }) =>
      Object.entries({ reasoning, tools, schema })
        .flatMap(([name, can]) => (can ? [name] : []))
        .join(","),
  ],
  ["$/M IN", ({ price }) => price?.input.toString() ?? ""],
  ["$/M OUT", ({ price }) => price?.output.toString() ?? ""],
];

/** One line per model, without empty columns. */
function table(models: readonly Listed[]): string[] {
  if (models.length === 0) return [];
  const used = columns.filter(([, cell]) => models.some((model) => cell(model) !== ""));
  const rows = [used.map(([head]) => head), ...models.map((model) => used.map(([, cell]) => cell(model)))];
  const widths = used.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}
