import type { Modality, ModelInfo, ModelKind } from "./model-info.ts";

type Entry = Readonly<Record<string, unknown>>;

/** A model as a server lists it: its id, and whatever else that server tells. */
export type ListedModel = { id: string } & Partial<Omit<ModelInfo, "id" | "provider">>;

const isEntry = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads `{ data: […] }`, `{ models: […] }` or a bare list; `undefined` where it is none of them. */
export function readListing(body: unknown): ListedModel[] | undefined {
  const list = isEntry(body) ? (body["data"] ?? body["models"]) : body;
  if (!Array.isArray(list)) return undefined;
  return list.flatMap((entry: unknown) => {
    if (typeof entry === "string") return [{ id: entry }];
    return isEntry(entry) ? readEntry(entry) : [];
  });
}

function readEntry(entry: Entry): ListedModel[] {
  const id = firstText(entry, ["id", "key", "model", "name"]);
  if (!id) return [];
  const model: ListedModel = { id };
  for (const [field, read] of Object.entries(readers)) {
    const value = read(entry);
    if (value !== undefined) Object.assign(model, { [field]: value });
  }
  return [model];
}

/** Follows a dotted path; through a list, it gives what each member has there. */
function at(value: unknown, path: string): unknown {
  const [step = "", ...rest] = path.split(".");
  if (Array.isArray(value)) return value.map((member: unknown) => at(member, path));
  if (!isEntry(value)) return undefined;
  return rest.length > 0 ? at(value[step], rest.join(".")) : value[step];
}

const firstText = (entry: Entry, paths: readonly string[]): string | undefined =>
  paths.map((path) => at(entry, path)).find((value): value is string => typeof value === "string" && value !== "");

/** The first path that has a number; the largest where several hosts each have their own. */
function firstNumber(entry: Entry, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const numbers = [at(entry, path)].flat().filter((value): value is number => typeof value === "number" && value > 0);
    if (numbers.length > 0) return Math.max(...numbers);
  }
  return undefined;
}

/** Whether any path says yes; `undefined` where none says anything. */
function anyTrue(entry: Entry, paths: readonly string[]): boolean | undefined {
  const said = paths.flatMap((path) => at(entry, path)).filter((value) => typeof value === "boolean");
  return said.length > 0 ? said.includes(true) : undefined;
}

/** Whether a list of parameters has one; `undefined` where there is no such list. */
function takes(entry: Entry, parameter: string): boolean | undefined {
  const parameters = at(entry, "supported_parameters");
  return Array.isArray(parameters) ? parameters.includes(parameter) : undefined;
}

const modalityNames: Readonly<Record<string, Modality>> = {
  text: "text",
  image: "image",
  audio: "audio",
  speech: "audio",
  video: "video",
  file: "file",
  pdf: "file",
  embeddings: "embedding",
  embedding: "embedding",
};

function modalities(entry: Entry, paths: readonly string[]): Modality[] | undefined {
  const list = paths.map((path) => at(entry, path)).find((value) => Array.isArray(value));
  const known = list?.flatMap((name: unknown) => (typeof name === "string" ? (modalityNames[name] ?? []) : []));
  return known && known.length > 0 ? [...new Set(known)] : undefined;
}

const inputOf = (entry: Entry): Modality[] | undefined => {
  const listed = modalities(entry, ["architecture.input_modalities", "input_modalities"]);
  if (listed) return listed;
  const sees = entry["type"] === "vlm" || anyTrue(entry, ["capabilities.vision", "capabilities.supports.vision"]);
  return sees ? ["text", "image"] : undefined;
};

const outputOf = (entry: Entry): Modality[] | undefined =>
  modalities(entry, ["architecture.output_modalities", "output_modalities"]);

const kindNames: Readonly<Record<string, ModelKind>> = {
  llm: "chat",
  vlm: "chat",
  chat: "chat",
  embedding: "embeddings",
  embeddings: "embeddings",
  image: "image",
  audio: "audio",
  moderation: "moderation",
  completion: "other",
};

const kindOfOutput: Readonly<Record<Modality, ModelKind>> = {
  text: "chat",
  image: "image",
  audio: "audio",
  video: "other",
  file: "other",
  embedding: "embeddings",
};

function kindOf(entry: Entry): ModelKind | undefined {
  const named = firstText(entry, ["capabilities.type", "type"]);
  if (named && Object.hasOwn(kindNames, named)) return kindNames[named];
  if (anyTrue(entry, ["capabilities.completion_chat"])) return "chat";
  if (anyTrue(entry, ["capabilities.moderation"])) return "moderation";
  if (anyTrue(entry, ["capabilities.ocr"])) return "other";
  const output = outputOf(entry);
  if (!output) return undefined;
  return output.includes("text") ? "chat" : output[0] && kindOfOutput[output[0]];
}

function reasons(entry: Entry): boolean | undefined {
  const efforts = at(entry, "capabilities.supports.reasoning_effort");
  return Array.isArray(efforts) ? true : takes(entry, "reasoning");
}

/** Where servers write each fact: OpenAI's own list has none of them, others spell them in their own ways. */
const readers: { [F in keyof ListedModel as F extends "id" ? never : F]?: (entry: Entry) => ListedModel[F] } = {
  name: (entry) => firstText(entry, ["display_name", "name"]),
  kind: kindOf,
  created: (entry) => firstNumber(entry, ["created"]),
  owner: (entry) => firstText(entry, ["owned_by", "publisher", "vendor"]),
  contextWindow: (entry) =>
    firstNumber(entry, [
      "context_length",
      "max_context_length",
      "max_model_len",
      "context_window",
      "meta.n_ctx",
      "capabilities.limits.max_context_window_tokens",
      "providers.context_length",
    ]),
  maxOutput: (entry) =>
    firstNumber(entry, ["top_provider.max_completion_tokens", "max_completion_tokens", "capabilities.limits.max_output_tokens"]),
  input: inputOf,
  output: outputOf,
  reasoning: reasons,
  tools: (entry) =>
    takes(entry, "tools") ??
    anyTrue(entry, [
      "capabilities.function_calling",
      "capabilities.supports.tool_calls",
      "capabilities.trained_for_tool_use",
      "providers.supports_tools",
    ]),
  schema: (entry) =>
    takes(entry, "structured_outputs") ??
    anyTrue(entry, ["capabilities.supports.structured_outputs", "providers.supports_structured_output"]),
};
