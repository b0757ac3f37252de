import { AntiphonError, listModels, type Provider, type Transport } from "antiphon";
import { defaultTransport } from "antiphon/node";
import { candidates } from "./candidates.ts";
import { chosenProvider } from "./chosen-provider.ts";
import { adviceFor, messageOf } from "./failures.ts";
import type { Settings } from "./config/load.ts";
import type { Finding } from "./doctor-finding.ts";

/** How providers are contacted. */
interface Asking {
  patience: number;
  asks: boolean;
  signal: AbortSignal;
}

/** Checks the chosen model, and the key and connection of every configured provider. */
export async function checkProviders(settings: Settings, asking: Asking): Promise<Finding[]> {
  const { finding, chosen } = checkChoice(settings);
  const found = candidates(settings).filter(({ isSetUp, provider }) => isSetUp || provider.name === chosen);
  const remote = found.flatMap(({ provider }) => ("respond" in provider ? [] : [provider]));
  if (!asking.asks)
    return [finding, ...remote.map(({ name }): Finding => ({ check: name, state: "good", says: "configured; not contacted" }))];
  const results = await Promise.all(remote.map((provider) => checkProvider(provider, asking)));
  const skews = results.flatMap(({ skew }) => (skew === undefined ? [] : [skew]));
  return [finding, ...results.map((result) => result.finding), ...checkClock(skews)];
}

function checkChoice(settings: Settings): { finding: Finding; chosen?: string } {
  const check = "model";
  try {
    const provider = chosenProvider(settings);
    const says = provider.model ? `${provider.name}:${provider.model}` : provider.name;
    if (!("respond" in provider)) provider.headers();
    return { finding: { check, state: "good", says }, chosen: provider.name };
  } catch (error) {
    const isKnown = error instanceof AntiphonError;
    const says = isKnown ? messageOf(error) : error instanceof Error ? error.message : String(error);
    const fix = isKnown ? adviceFor(error) : undefined;
    return { finding: { check, state: "wrong", says, kind: "config", ...(fix && { fix }) } };
  }
}

/** Errors of the configuration, not of the network. */
const ourFault: ReadonlySet<string> = new Set(["AUTH_ERROR", "PERMISSION", "QUOTA_EXCEEDED"]);

async function checkProvider(provider: Exclude<Provider, { respond: unknown }>, { patience: total, signal }: Asking) {
  const { name: check, baseUrl } = provider;
  let skew: number | undefined;
  const transport: Transport = async (request) => {
    const response = await defaultTransport(request);
    const date = Date.parse(response.headers.get("date") ?? "");
    if (!Number.isNaN(date)) skew = date - Date.now();
    return response;
  };
  const finding = await (async (): Promise<Finding> => {
    try {
      const models = await listModels(provider, { signal, transport, timeouts: { total }, retry: { retries: 0 } });
      return { check, state: "good", says: `${baseUrl} is reachable; ${models.length} models` };
    } catch (error) {
      if (!(error instanceof AntiphonError)) throw error;
      if (error.code === "UNSUPPORTED")
        return { check, state: "good", says: "configured; not contacted, because it has no list of models" };
      const says = `${baseUrl}: ${error.code}: ${messageOf(error)}`;
      const fix = error.code === "TIMEOUT" ? "check the network, or wait longer with --timeout <seconds>" : adviceFor(error);
      return { check, state: "wrong", says, ...(fix && { fix }), kind: ourFault.has(error.code) ? "config" : "network" };
    }
  })();
  return { finding, skew };
}

const largestSkew = 60_000;

/** With a wrong clock, signatures and tokens look expired. */
function checkClock(skews: readonly number[]): Finding[] {
  const [skew] = skews.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) return [];
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (Math.abs(skew) < largestSkew) return [{ check: "clock", state: "good", says: "correct" }];
  const says = `${seconds} seconds ${skew > 0 ? "slow" : "fast"}`;
  return [{ check: "clock", state: "unsure", says, fix: "enable network time: signatures and tokens depend on the clock" }];
}
