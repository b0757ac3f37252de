import { isObject, type JsonObject } from "../../model/guards.ts";

/** What Azure's filters found, in the shape that its Responses have: one entry for the prompt, one for the answer. */
export class ContentFilters {
  #prompt: JsonObject = {};
  #answer: JsonObject = {};

  readPrompt(results: unknown): void {
    if (!Array.isArray(results)) return;
    for (const result of results) if (isObject(result)) this.#prompt = merged(this.#prompt, result["content_filter_results"]);
  }

  /** A stream tells what it found of each piece; the last word on a category stands. */
  readAnswer(results: unknown): void {
    if (isObject(results) && Object.keys(results).length > 0) this.#answer = merged(this.#answer, results);
  }

  get found(): JsonObject[] | undefined {
    const entries = [entry("prompt", this.#prompt), entry("completion", this.#answer)].flat();
    return entries.length > 0 ? entries : undefined;
  }
}

const merged = (known: JsonObject, results: unknown): JsonObject => {
  if (!isObject(results)) return known;
  const before = Object.entries(known).filter(([, result]) => isObject(result) && result["filtered"] === true);
  return { ...known, ...results, ...Object.fromEntries(before) };
};

function entry(source_type: string, content_filter_results: JsonObject): JsonObject[] {
  if (Object.keys(content_filter_results).length === 0) return [];
  const blocked = Object.values(content_filter_results).some((result) => isObject(result) && result["filtered"] === true);
  return [{ blocked, source_type, content_filter_results }];
}
