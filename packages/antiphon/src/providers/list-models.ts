import { fromCaller } from "../core/caller-stack.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { AntiphonError } from "../core/error.ts";
import { checkOptions } from "../core/options.ts";
import { checkUpstream, fetchJsonRules } from "../transport/connect-rules.ts";
import { fetchJson, type FetchJsonOptions } from "../transport/fetch-json.ts";
import { modelInfo, modelKind } from "./catalogue.ts";
import type { ModelInfo } from "./model-info.ts";
import type { ListedModel } from "./read-listing.ts";
import type { Provider } from "./registry.ts";

/** No list is longer; a server that always tells of one more page must not be asked for ever. */
const mostPages = 100;

/**
 * Lists the models that a provider offers. What the provider reports about a model overrides what this library knows
 * about it.
 *
 * @example
 * const chat = (await listModels(provider("openai"))).filter((model) => model.kind === "chat");
 */
export const listModels = (provider: Provider, options: FetchJsonOptions = {}): Promise<ModelInfo[]> =>
  fromCaller(() => readModels(provider, options));

async function readModels(provider: Provider, options: FetchJsonOptions): Promise<ModelInfo[]> {
  checkUpstream("listModels", provider);
  checkOptions("listModels", options, fetchJsonRules);
  if ("respond" in provider)
    return [...new Set(Object.values(provider.models))].map((id: string) => complete(id, provider.name, {}));
  const first = pathOf(provider);
  // Hardly any program lists models: how to read what servers answer waits until one does.
  const { nextPage, readListing } = await import("./read-listing.ts");
  const listed: ListedModel[] = [];
  let page: string | undefined = "";
  for (let pages = 0; page !== undefined && pages < mostPages; pages += 1) {
    const path: string = page ? `${first}${first.includes("?") ? "&" : "?"}${page}` : first;
    const body = await fetchJson(provider, path, options);
    listed.push(...(readListing(body) ?? fail("PROTOCOL", provider, "did not return a list of models")));
    const next = nextPage(body);
    page = next === page ? undefined : next;
  }
  return listed.map(({ id, ...told }) => complete(id, provider.name, told));
}

function pathOf(provider: Provider): string {
  const path = provider.preset.wire === "local" ? undefined : provider.preset.modelsPath;
  return path === null ? fail("UNSUPPORTED", provider, "does not support listing its models") : (path ?? "/models");
}

function fail(code: ErrorCode, { name }: Provider, what: string): never {
  throw new AntiphonError(code, `The provider ${name} ${what}.`, { provider: name });
}

const complete = (id: string, provider: string, told: Partial<ModelInfo>): ModelInfo => ({
  ...modelInfo(id),
  kind: modelKind(id),
  ...told,
  id,
  provider,
});
