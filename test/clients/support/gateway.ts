import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { presets, type Preset, type Respond } from "antiphon";
import { configuredModels, newKey, openStore, type Models, type ProviderSettings } from "antiphon-gateway";
import { startGateway } from "antiphon-gateway/node";
import { startGemini, type Listening } from "./gemini-server.ts";

/** What stands behind the gateway: the model itself, or a server in front of it that speaks a wire. Models are named after it. */
export const upstreams = ["offline", "responses", "chat", "messages", "gemini"] as const;

export type Upstream = (typeof upstreams)[number];

/** What not every wire can say. */
type Matter =
  | "summaries"
  | "raw thoughts"
  | "sealed thoughts"
  | "filters"
  | "refusals"
  | "typed refusals"
  | "error codes"
  | "plain failures"
  | "embeddings";

/** What a wire behind the gateway has no words for, whoever asks; everything else arrives. */
const unsaid: Readonly<Record<Upstream, readonly Matter[]>> = {
  offline: [],
  responses: [],
  // Thoughts come as they are.
  chat: ["summaries", "sealed thoughts", "plain failures"],
  // A filter that stops an answer is a refusal; an answer of a given form is a forced call, which refuses nothing.
  messages: ["filters", "typed refusals", "plain failures", "embeddings"],
  // A refusal is text like any other; an error has a status and no code; thoughts are always summaries. The server here has no vectors.
  gemini: ["refusals", "typed refusals", "error codes", "raw thoughts", "plain failures", "embeddings"],
};

export const says = (upstream: Upstream, matter: Matter): boolean => !unsaid[upstream].includes(matter);

const quiet = { port: 0, telemetry: { logs: false } } as const;

/** A gateway, and the server of Google's wire behind it, whose clients the gateway does not serve. */
export interface Around extends Listening {
  gemini: string;
}

/** Puts a model behind a gateway in every way that there is: five names for the one model, and others that are given to them. */
export async function startAround(model: Respond, aliases: Readonly<Record<string, Upstream>> = {}): Promise<Around> {
  const folder = mkdtempSync(join(tmpdir(), "antiphon-clients-"));
  const behind = await startGateway({ ...quiet, catalogue: await catalogueOf(model) });
  const gemini = await startGemini(model);
  const providers: Record<string, ProviderSettings> = {
    // Where the client speaks the same wire, what it is told passes unread, as with the providers' own servers.
    responses: { wire: "responses", baseUrl: `${behind.url}/openai/v1`, relay: true },
    chat: { wire: "chat", baseUrl: `${behind.url}/v1`, relay: true },
    messages: { wire: "messages", baseUrl: `${behind.url}/v1`, relay: true },
    gemini: { wire: "gemini", baseUrl: `${gemini.url}/v1beta` },
  };
  const gateway = await startGateway({
    ...quiet,
    store: join(folder, "gateway.db"),
    catalogue: await catalogueOf(model, providers, aliases),
  });
  const close = async (): Promise<void> => {
    for (const server of [gateway, behind, gemini]) await server.close();
    rmSync(folder, { recursive: true });
  };
  return { url: gateway.url, gemini: gemini.url, close };
}

/** Starts a gateway that wants a key, and gives one that is good for a single model. */
export async function startLocked(model: Respond): Promise<Listening & { secret: string }> {
  const store = await openStore("memory");
  const { secret, key } = newKey({ name: "clients", models: ["offline"] });
  await store.createKey(key);
  const { url, close } = await startGateway({ ...quiet, store, catalogue: await catalogueOf(model, {}, { other: "offline" }) });
  return { url, close, secret };
}

/** The model under its own name, and under those of the servers that have it too. */
function catalogueOf(
  model: Respond,
  providers: Readonly<Record<string, ProviderSettings>> = {},
  aliases: Readonly<Record<string, Upstream>> = {},
): Promise<Models> {
  // A client that is told of a failure at once shows what it makes of it; the gateway's patience has tests of its own.
  const at = (name: string) => ({ use: `${name}:offline`, retries: 0 });
  const models = Object.fromEntries(["offline", ...Object.keys(providers)].map((name) => [name, at(name)]));
  return configuredModels({ discover: false, providers, models: { ...models, ...aliases } }, { presets: [offlinePreset(model)] });
}

/** The offline provider with another model in it. */
function offlinePreset(model: Respond): Preset {
  const offline = presets().find(({ name }) => name === "offline");
  if (offline?.wire !== "local") throw new Error("There is no offline provider.");
  return { ...offline, respond: () => model };
}
