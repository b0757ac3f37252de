import { listModels, type ModelInfo } from "antiphon";
import { chosenProvider } from "./chosen-provider.ts";
import { modelsCommand } from "./commands.ts";
import { exitCodes } from "./failures.ts";
import { readArguments, UsageError } from "./options.ts";

/** Lists the models of a provider; gives the exit code. */
export async function models(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(modelsCommand, args);
  if (words.length > 0) throw new UsageError(`"${words.join(" ")}" is not expected: name the provider with --model`);
  const list = await listModels(chosenProvider(flags), { signal });
  const lines = flags.json ? list.map((model) => JSON.stringify(model)) : table(list);
  for (const line of lines) process.stdout.write(`${line}\n`);
  return exitCodes.ok;
}

/** One line a model: its id, what it is for, how much it can hold. */
function table(list: readonly ModelInfo[]): string[] {
  const width = Math.max(...list.map(({ id }) => id.length));
  return list.map(({ id, kind, contextWindow }) =>
    `${id.padEnd(width)}  ${kind.padEnd(10)}  ${contextWindow === undefined ? "" : `${contextWindow} tokens`}`.trimEnd(),
  );
}
