import { AntiphonError } from "antiphon";
import type { ServeOptions } from "antiphon-gateway/node";
import { commands } from "./commands.ts";
import { dotHint, isTable, pathOf } from "./config/check.ts";
import { settingsFor } from "./config/flags.ts";
import { layerOf } from "./config/layers.ts";
import { complaint, type Settings } from "./config/load.ts";
import { exitCodes } from "./exit-codes.ts";
import { gatewayOptions } from "./gateway-options.ts";
import { CommandError, ConfigError, expectNoWords, readArguments } from "./options.ts";
import { requestLines } from "./request-lines.ts";

/** How long running responses may continue after the first signal. */
export const drainingTime = 30_000;

/** Runs the gateway until a signal stops it, and returns the exit code. */
export async function serve(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.serve, args);
  expectNoWords(words);
  const settings = await settingsFor(commands.serve, { flags });
  const configured = gatewayOptions(settings);
  const isWatched = process.stdout.isTTY && !flags.quiet && settings.values.gateway?.telemetry?.logs === undefined;
  const options = isWatched ? withRequestLines(configured) : configured;
  const { url, note, close, gateway } = await start(settings, options);
  const hasKeys = await gateway.context.hasKeys();
  process.stdout.write(flags.quiet ? `${url}\n` : welcome(url, settings.values.gateway?.default_model, hasKeys));
  if (note && !flags.quiet) process.stderr.write(`${note}\n`);
  await stopped(signal);
  if (!flags.quiet) process.stderr.write("\nWaiting for running responses to finish. Press Ctrl-C again to stop now.\n");
  await close({ signal: AbortSignal.timeout(drainingTime) });
  return exitCodes.ok;
}

/** Prints one line per request on the terminal. */
const withRequestLines = (options: ServeOptions): ServeOptions => ({
  ...options,
  telemetry: {
    ...options.telemetry,
    others: [...(options.telemetry?.others ?? []), requestLines((line) => process.stdout.write(line))],
  },
});

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));

async function start(settings: Settings, options: ReturnType<typeof gatewayOptions>) {
  const [{ startGateway, tuneProcess }, { modelsProblems }] = await Promise.all([
    import("antiphon-gateway/node"),
    import("antiphon-gateway"),
  ]);
  tuneProcess();
  const problems = modelsProblems(options).map(({ path, message }) => complaintAt(settings, path.map(String), message).message);
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  try {
    return await startGateway(options);
  } catch (error) {
    if (error instanceof AntiphonError && error.param && error.code === "BAD_REQUEST")
      throw complaintAt(settings, pathOf(error.param), error.message);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE")
      throw new CommandError(`port ${options.port ?? 8787} is in use; choose another with --port, or --port 0 for any free one`);
    if (code === "EACCES")
      throw new CommandError(`port ${options.port ?? 8787} requires elevated privileges; use a port above 1023`);
    throw error;
  }
}

/** The gateway uses camelCase for its settings. */
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Creates an error about a setting of the gateway. A provider may be configured under `gateway` or in general. */
function complaintAt(settings: Settings, [called = "", ...rest]: readonly string[], said: string): Error {
  const first = snakeCase(called);
  const path = [first, ...rest];
  const message = said.replace(called, first);
  const [name = ""] = rest;
  const isSaid = (table: string): boolean => layerOf(settings.layers, [table, name]) !== undefined;
  const isOwn = first !== "providers" || layerOf(settings.layers, ["gateway", first, name]) !== undefined;
  const general = isSaid("providers") ? "providers" : "presets";
  return complaint(
    settings,
    isOwn ? ["gateway", ...path] : [general, ...path.slice(1)],
    `${message}${quoteHint(settings, path)}`,
  );
}

/** `[gateway.models.gpt-3.5-turbo]` is a table in a table; the name must be quoted. */
function quoteHint({ values }: Settings, [table = "", first = "", second = ""]: readonly string[]): string {
  if (table !== "models" || second === "") return "";
  const models = values.gateway?.models;
  const entry = isTable(models) ? models[first] : undefined;
  return isTable(entry) && isTable(entry[second]) ? dotHint(["gateway", "models"], first, second) : "";
}

/** The banner: the address, the two base URLs and how to point clients at them. */
function welcome(url: string, model: string | undefined, hasKeys: boolean): string {
  const key = hasKeys ? ` -H "authorization: Bearer $ANTIPHON_KEY"` : "";
  const body = JSON.stringify({ ...(model === undefined ? { model: "offline" } : {}), input: "Hello" });
  return `Antiphon gateway listening on ${url}

Base URLs:
  ${url}/openai/v1  for OpenAI clients (Responses and Chat Completions)
  ${url}            for Anthropic clients, which add /v1/messages themselves

Try it:
  curl ${url}/v1/responses -H "content-type: application/json"${key} -d '${body}'

OpenAI SDK:
  new OpenAI({ baseURL: "${url}/openai/v1", apiKey: ${hasKeys ? "process.env.ANTIPHON_KEY" : '"none"'} })

Codex (~/.codex/config.toml):
  model_provider = "antiphon"
  [model_providers.antiphon]
  name = "Antiphon"
  base_url = "${url}/openai/v1"
  wire_api = "responses"${hasKeys ? '\n  env_key = "ANTIPHON_KEY"' : ""}

Claude Code and the Anthropic SDK:
  export ANTHROPIC_BASE_URL=${url}
  export ANTHROPIC_AUTH_TOKEN=${hasKeys ? "$ANTIPHON_KEY" : "none"}
${hasKeys ? "\nANTIPHON_KEY is a gateway key; `antiphon keys create --name <name>` creates one.\n" : ""}
Ctrl-C stops the gateway.
`;
}
