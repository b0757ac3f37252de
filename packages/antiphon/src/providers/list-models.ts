import { AntiphonError } from "../core/error.ts";
import { fetchJson, type FetchJsonOptions } from "../transport/fetch-json.ts";
import { modelInfo, modelKind } from "./catalogue.ts";
import type { ModelInfo } from "./model-info.ts";
import { readListing } from "./read-listing.ts";
import type { Provider } from "./registry.ts";

/**
 * The models that a provider offers. What the provider tells about them goes before what is known about them anyway.
 *
 * @example
 * const chat = (await listModels(provider("openai"))).filter((model) => model.kind === "chat");
 */
export async function listModels(provider: Provider, options: FetchJsonOptions = {}): Promise<ModelInfo[]> {
  if ("respond" in provider)
    return [...new Set(Object.values(provider.models))].map((id: string) => complete(id, provider.name, {}));
  const path = (provider.preset.wire === "local" ? undefined : provider.preset.modelsPath) ?? "/models";
  const list = readListing(await fetchJson(provider, path, options));
  if (!list) {
    throw new AntiphonError("PROTOCOL", `${provider.name} answered with something that is not a list of models.`, {
      provider: provider.name,
    });
  }
  return list.map(({ id, ...told }) => complete(id, provider.name, told));
}

const complete = (id: string, provider: string, told: Partial<ModelInfo>): ModelInfo => ({
  ...modelInfo(id),
  kind: modelKind(id),
  ...told,
  id,
  provider,
});
