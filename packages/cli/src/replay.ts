import { connect, provider, type Transport } from "antiphon";
import { fileTape } from "antiphon/node";
import { replay, type Exchange } from "antiphon/testing";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { CommandError, readArguments, UsageError } from "./options.ts";
import { jsonView, mayColour, TextView } from "./view.ts";

/** The provider that decodes the responses of each API path. */
const speakers: readonly (readonly [path: RegExp, name: string])[] = [
  [/\/responses$/, "open-responses"],
  [/\/chat\/completions$/, "chat"],
  [/\/messages$/, "anthropic"],
  [/:(stream)?generateContent$/i, "gemini"],
];

/** Prints the recorded answers and returns the exit code. */
export async function replayTape(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.replay, args);
  const [folder, ...rest] = words;
  if (folder === undefined || rest.length > 0) throw new UsageError("specify a folder written by `antiphon run --record`");
  const exchanges = await fileTape(folder).load();
  if (exchanges.length === 0) throw new CommandError(`${folder} contains no recording`);
  const terminal = { out: process.stdout, err: process.stderr, hasColour: mayColour(process.stderr, process.env) };
  for (const exchange of exchanges) {
    const view = flags.json ? jsonView(terminal) : new TextView(terminal);
    if (!flags.json) process.stderr.write(`${exchange.request.method} ${exchange.request.url}\n`);
    const name = speakers.find(([path]) => path.test(new URL(exchange.request.url).pathname))?.[1];
    if (name === undefined) continue;
    try {
      for await (const event of events(name, exchange, flags.pace === true, signal)) view.show(event);
    } finally {
      view.end();
    }
  }
  return exitCodes.ok;
}

/** Decodes a recorded answer. Every request matches the recorded one. */
function events(name: string, exchange: Exchange, pace: boolean, signal: AbortSignal) {
  const { method, url, headers, body } = exchange.request;
  const tape = replay([exchange], { pace });
  const transport: Transport = (request) =>
    tape({ ...request, method: method as typeof request.method, url, headers, ...(body === undefined ? {} : { body }) });
  const upstream = provider(name, { apiKey: "replayed", baseUrl: new URL(url).origin, model: "recorded" });
  return connect(upstream, { transport, retry: { retries: 0 } })({ input: "" }, { signal });
}
