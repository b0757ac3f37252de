import { AntiphonError } from "antiphon";
import { commands } from "./commands.ts";
import { pathOf } from "./config/check.ts";
import { settingsFor } from "./config/flags.ts";
import { layerOf } from "./config/layers.ts";
import { complaint, type Settings } from "./config/load.ts";
import { exitCodes } from "./exit-codes.ts";
import { gatewayOptions } from "./gateway-options.ts";
import { ConfigError, expectNoWords, readArguments, UsageError } from "./options.ts";

/** How long running responses may go on after the first signal. */
export const drainingTime = 30_000;

/** Starts the gateway and stays until it is told to stop; gives the exit code. */
export async function serve(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.serve, args);
  expectNoWords(words);
  const settings = await settingsFor(commands.serve, { flags });
  const options = gatewayOptions(settings);
  const { url, note, close, gateway } = await start(settings, options);
  const hasKeys = await gateway.context.hasKeys();
  process.stdout.write(flags.quiet ? `${url}\n` : welcome(url, settings.values.gateway?.default_model, hasKeys));
  if (note && !flags.quiet) process.stderr.write(`${note}\n`);
  await stopped(signal);
  if (!flags.quiet) process.stderr.write("\nClosing when what runs is done; Ctrl-C stops at once.\n");
  await close({ signal: AbortSignal.timeout(drainingTime) });
  return exitCodes.ok;
}

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
    if (code === "EADDRINUSE") throw new UsageError(`port ${options.port ?? 8787} is taken; --port 0 takes one that is free`);
    if (code === "EACCES") throw new UsageError(`port ${options.port ?? 8787} is not for everybody; take one above 1023`);
    throw error;
  }
}

/** The gateway calls its settings as programs do; below them are names as they were written. */
const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A complaint about a setting of the gateway's; what it knows of providers may be said of them in general. */
function complaintAt(settings: Settings, [called = "", ...rest]: readonly string[], said: string): Error {
  const first = snakeCase(called);
  const path = [first, ...rest];
  const message = said.replace(called, first);
  const [name = ""] = rest;
  const isSaid = (table: string): boolean => layerOf(settings.layers, [table, name]) !== undefined;
  const isOwn = first !== "providers" || layerOf(settings.layers, ["gateway", first, name]) !== undefined;
  const general = isSaid("providers") ? "providers" : "presets";
  return complaint(settings, isOwn ? ["gateway", ...path] : [general, ...path.slice(1)], message);
}

/** What a newcomer wants to know: where it is, and how to point programs at it. */
function welcome(url: string, model: string | undefined, hasKeys: boolean): string {
  const key = hasKeys ? ` -H "authorization: Bearer $ANTIPHON_KEY"` : "";
  const body = JSON.stringify({ ...(model === undefined ? { model: "offline" } : {}), input: "Hello" });
  return `Antiphon listens on ${url}

Try it:
  curl ${url}/v1/responses -H "content-type: application/json"${key} -d '${body}'

OpenAI's SDK:
  new OpenAI({ baseURL: "${url}/openai/v1", apiKey: ${hasKeys ? "process.env.ANTIPHON_KEY" : '"none"'} })

Codex, in ~/.codex/config.toml:
  model_provider = "antiphon"
  [model_providers.antiphon]
  name = "Antiphon"
  base_url = "${url}/openai/v1"
  wire_api = "responses"${hasKeys ? '\n  env_key = "ANTIPHON_KEY"' : ""}

Anthropic's SDK and Claude Code: ANTHROPIC_BASE_URL=${url}
`;
}
