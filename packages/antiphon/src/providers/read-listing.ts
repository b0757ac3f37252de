import { own } from "../model/guards.ts";
import type { Modality, ModelInfo, ModelKind } from "./model-info.ts";

type Entry = Readonly<Record<string, unknown>>;

/** A model as a server lists it: its id, and whatever else that server tells. */
export type ListedModel = { id: string } & Partial<Omit<ModelInfo, "id" | "provider">>;

const isEntry = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);

/** How servers that list their models in pages name the next one: where it is told, and the parameter that asks for it. */
const pagings = [
  { more: "has_more", cursor: "last_id", parameter: "after_id" },
  { more: "nextPageToken", cursor: "nextPageToken", parameter: "pageToken" },
] as const;

/** What to add to a list's URL for its next page: `after_id=…`; nothing after the last. */
export function nextPage(body: unknown): string | undefined {
  if (!isEntry(body)) return undefined;
  for (const { more, cursor, parameter } of pagings) {
    const at = body[cursor];
    if (body[more] && typeof at === "string" && at) return `${parameter}=${encodeURIComponent(at)}`;
  }
  return undefined;
}

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
  // Gemini's names begin with the collection that they are in.
  const id = firstText(entry, ["id", "key", "model", "name"])?.replace(/^models\//, "");
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

/** The first path that has a limit; the largest where several hosts each have their own. A limit of one stands for none. */
function firstNumber(entry: Entry, paths: readonly string[]): number | undefined {
  for (const path of paths) {
    const numbers = [at(entry, path)].flat().filter((value): value is number => typeof value === "number" && value > 1);
    if (numbers.length > 0) return Math.max(...numbers);
  }
  return undefined;
}

/** Whether any path says yes; `undefined` where none says anything. */
function anyTrue(entry: Entry, paths: readonly string[]): boolean | undefined {
  const said = paths.flatMap((path) => at(entry, path)).filter((value) => typeof value === "boolean");
  return said.length > 0 ? said.includes(true) : undefined;
}

/** Whether a list has a word; `undefined` where there is no such list. */
function lists(entry: Entry, path: string, word: string): boolean | undefined {
  const words = at(entry, path);
  return Array.isArray(words) ? words.includes(word) : undefined;
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
  const known = list?.flatMap((name: unknown) => (typeof name === "string" ? (own(modalityNames, name) ?? []) : []));
  return known && known.length > 0 ? [...new Set(known)] : undefined;
}

const sight = [
  "capabilities.vision",
  "capabilities.supports.vision",
  "capabilities.image_input.supported",
  "model_spec.capabilities.supportsVision",
];

const inputOf = (entry: Entry): Modality[] | undefined => {
  const listed = modalities(entry, ["architecture.input_modalities", "input_modalities", "supported_input_modalities"]);
  if (listed) return listed;
  const sees = entry["type"] === "vlm" || anyTrue(entry, sight);
  const reads = anyTrue(entry, ["capabilities.pdf_input.supported"]);
  return sees || reads ? ["text", ...(sees ? ["image" as const] : []), ...(reads ? ["file" as const] : [])] : undefined;
};

const outputOf = (entry: Entry): Modality[] | undefined =>
  modalities(entry, ["architecture.output_modalities", "output_modalities", "supported_output_modalities"]);

const kindNames: Readonly<Record<string, ModelKind>> = {
  llm: "chat",
  vlm: "chat",
  chat: "chat",
  text: "chat",
  embedding: "embeddings",
  embeddings: "embeddings",
  image: "image",
  audio: "audio",
  asr: "audio",
  transcribe: "audio",
  tts: "audio",
  moderation: "moderation",
  completion: "other",
  rerank: "other",
  video: "other",
};

/** What Gemini's models are for, by the methods that they have; those that generate content are told apart by name. */
const kindOfMethod: readonly (readonly [method: string, kind: ModelKind | undefined])[] = [
  ["generateContent", undefined],
  ["embedContent", "embeddings"],
  ["embedText", "embeddings"],
  ["bidiGenerateContent", "audio"],
  ["predict", "image"],
  ["predictLongRunning", "other"],
  ["generateAnswer", "other"],
];

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
  const method = kindOfMethod.find(([name]) => lists(entry, "supportedGenerationMethods", name));
  if (method) return method[1];
  if (anyTrue(entry, ["capabilities.completion_chat"])) return "chat";
  if (anyTrue(entry, ["capabilities.moderation"])) return "moderation";
  if (anyTrue(entry, ["capabilities.ocr"])) return "other";
  const output = outputOf(entry);
  if (!output) return undefined;
  return output.includes("text") ? "chat" : output[0] && kindOfOutput[output[0]];
}

function reasons(entry: Entry): boolean | undefined {
  const efforts = at(entry, "capabilities.supports.reasoning_effort");
  if (Array.isArray(efforts) && efforts.some((effort) => typeof effort === "string")) return true;
  return (
    lists(entry, "supported_parameters", "reasoning") ??
    anyTrue(entry, ["thinking", "capabilities.thinking.supported", "model_spec.capabilities.supportsReasoning"])
  );
}

/** Seconds since 1970, told as such or as a date. */
function createdAt(entry: Entry): number | undefined {
  const date = Date.parse(firstText(entry, ["created_at"]) ?? "");
  return firstNumber(entry, ["created"]) ?? (date > 0 ? Math.floor(date / 1000) : undefined);
}

/** Where servers write each fact: OpenAI's own list has none of them, others spell them in their own ways. */
const readers: { [F in keyof ListedModel as F extends "id" ? never : F]?: (entry: Entry) => ListedModel[F] } = {
  name: (entry) => firstText(entry, ["display_name", "displayName", "model_spec.name", "name"]),
  kind: kindOf,
  created: createdAt,
  owner: (entry) => firstText(entry, ["owned_by", "publisher", "organization", "vendor"]),
  contextWindow: (entry) =>
    firstNumber(entry, [
      "context_length",
      "max_context_length",
      "max_model_len",
      "context_window",
      "max_input_tokens",
      "inputTokenLimit",
      "meta.n_ctx",
      "limits.max_input_tokens",
      "capabilities.limits.max_context_window_tokens",
      "model_spec.availableContextTokens",
      "providers.context_length",
    ]),
  maxOutput: (entry) =>
    firstNumber(entry, [
      "top_provider.max_completion_tokens",
      "max_completion_tokens",
      "max_tokens",
      "outputTokenLimit",
      "limits.max_output_tokens",
      "capabilities.limits.max_output_tokens",
      "model_spec.maxCompletionTokens",
    ]),
  input: inputOf,
  output: outputOf,
  reasoning: reasons,
  tools: (entry) =>
    lists(entry, "supported_parameters", "tools") ??
    lists(entry, "capabilities", "tool-calling") ??
    anyTrue(entry, [
      "capabilities.function_calling",
      "capabilities.supports.tool_calls",
      "capabilities.trained_for_tool_use",
      "model_spec.capabilities.supportsFunctionCalling",
      "providers.supports_tools",
    ]),
  schema: (entry) =>
    lists(entry, "supported_parameters", "structured_outputs") ??
    anyTrue(entry, [
      "capabilities.supports.structured_outputs",
      "capabilities.structured_outputs.supported",
      "model_spec.capabilities.supportsResponseSchema",
      "providers.supports_structured_output",
    ]),
};
