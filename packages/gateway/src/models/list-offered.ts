import { formatModelString, modelInfo, modelKind, type ModelInfo } from "antiphon";
import type { Chooser } from "./choose.ts";
import { gatewayOwner, type Listings } from "./listings.ts";
import { fill, openPart, type NamedModel } from "./names.ts";
import type { Source, Sources } from "./sources.ts";

/** What listing needs. */
export interface Shop {
  chooser: Chooser;
  sources: Sources;
  listings: Listings;
}

/** What a gateway can pass requests on to. */
const isServed = ({ kind }: ModelInfo): boolean => kind === "chat" || kind === "embeddings";

/** All models under the names that clients may use: configured ones, then those that providers list. */
export async function listOffered(shop: Shop): Promise<ModelInfo[]> {
  const { chooser } = shop;
  const listed = await Promise.all([
    ...chooser.names.patterns.map((pattern) => fittingModels(shop, pattern)),
    ...[...chooser.withKeys, ...chooser.local].map((source) => modelsOf(shop, source)),
  ]);
  return unique([...configuredModels(chooser), ...listed.flat(), offline]);
}

const offline: ModelInfo = { ...modelInfo("offline"), id: "offline", provider: "offline", kind: "chat", owner: gatewayOwner };

/** All names that are known without asking anybody. */
export const namesAtHand = ({ chooser, listings }: Shop): ModelInfo[] =>
  unique([
    ...configuredModels(chooser),
    ...[...chooser.withKeys, ...chooser.local].flatMap((source) => named(source, listings.peek(source))),
    offline,
  ]);

function configuredModels(chooser: Chooser): ModelInfo[] {
  return [...chooser.names.exact.keys()].flatMap((name) => {
    const plan = chooser.choose(name);
    if (!plan) return [];
    const { model, source } = plan.first.target;
    return [{ ...modelInfo(model), kind: modelKind(model), id: name, provider: source.name }];
  });
}

const modelsOf = async ({ listings }: Shop, source: Source): Promise<ModelInfo[]> => named(source, await listings.get(source));

const named = ({ name }: Source, models: readonly ModelInfo[]): ModelInfo[] =>
  models.filter(isServed).map((model) => ({ ...model, id: formatModelString({ provider: name, chat: model.id }) }));

/** What a pattern's provider lists, under the names that the pattern gives it. */
async function fittingModels({ chooser, sources, listings }: Shop, pattern: NamedModel): Promise<ModelInfo[]> {
  const { provider = "", chat = "" } = chooser.parse(pattern.choices[0]?.model ?? "") ?? {};
  const source = sources.find(provider);
  if (!source || !chat.includes("*")) return [];
  const models = (await listings.get(source)).filter(isServed);
  return models.flatMap((model) => {
    const part = openPart(chat, model.id);
    const id = part === undefined ? undefined : fill(pattern.name, part);
    return id !== undefined && chooser.names.find(id)?.named === pattern ? [{ ...model, id }] : [];
  });
}

/** The first of each name. */
function unique(models: readonly ModelInfo[]): ModelInfo[] {
  const byId = new Map<string, ModelInfo>();
  for (const model of models) if (!byId.has(model.id)) byId.set(model.id, model);
  return [...byId.values()];
}
