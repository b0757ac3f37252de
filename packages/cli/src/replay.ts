import { connect, provider, type Transport } from "antiphon";
import { fileTape } from "antiphon/node";
import { replay, type Exchange } from "antiphon/testing";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { readArguments, UsageError } from "./options.ts";
import { jsonView, mayColour, TextView } from "./view.ts";

/** Who speaks the wire of a path, with nothing of a vendor's own about it where that can be. */
const speakers: readonly (readonly [path: RegExp, name: string])[] = [
  [/\/responses$/, "open-responses"],
  [/\/chat\/completions$/, "chat"],
  [/\/messages$/, "anthropic"],
  [/:(stream)?generateContent$/i, "gemini"],
];

/** Shows the answers that a tape holds; gives the exit code. */
export async function replayTape(args: string[], signal: AbortSignal): Promise<number> {
  const { flags, words } = readArguments(commands.replay, args);
  const [folder, ...rest] = words;
  if (folder === undefined || rest.length > 0) throw new UsageError("this wants the folder that `antiphon run --record` wrote");
  const exchanges = await fileTape(folder).load();
  if (exchanges.length === 0) throw new UsageError(`nothing is recorded in ${folder}`);
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

/** An answer, decoded again from what was recorded. Whatever is asked, the recorded request is what is answered. */
function events(name: string, exchange: Exchange, pace: boolean, signal: AbortSignal) {
  const { method, url, headers, body } = exchange.request;
  const tape = replay([exchange], { pace });
  const transport: Transport = (request) =>
    tape({ ...request, method: method as typeof request.method, url, headers, ...(body === undefined ? {} : { body }) });
  const upstream = provider(name, { apiKey: "replayed", baseUrl: new URL(url).origin, model: "recorded" });
  return connect(upstream, { transport, retry: { retries: 0 } })({ input: "" }, { signal });
}
