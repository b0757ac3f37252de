import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Annotation, FileSearchCall, FileSearchResult, WebSearchCall } from "../../model/index.ts";
import { withExtra } from "./extension.ts";
import { ByteIndex } from "./utf8.ts";
import { objectIn, objectsIn, stringsIn, textIn } from "./wire.ts";

/** A span of the answer, in bytes of it, with what backs it. */
interface Support {
  start: number;
  end: number;
  /** The span's text, where the server repeats it: a check on the bytes. */
  text: string | undefined;
  source: Source;
}

/** What backs a span: a page, or a passage of a stored file. */
interface Source {
  url: string;
  title: string;
  license?: string;
  file?: FileSearchResult;
}

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

function sourceOf(chunk: JsonObject): Source {
  const retrieved = chunk["retrievedContext"];
  const found = objectIn(chunk["web"] ?? chunk["maps"] ?? chunk["image"] ?? retrieved);
  const url = textIn(found["uri"]) ?? textIn(found["sourceUri"]) ?? "";
  const title = textIn(found["title"]) ?? "";
  if (!isObject(retrieved)) return { url, title };
  const file_id = textIn(retrieved["documentName"]) ?? textIn(retrieved["fileSearchStore"]) ?? url;
  const text = textIn(retrieved["text"]);
  return { url, title, file: { file_id, ...(title && { filename: title }), ...(text !== undefined && { text }) } };
}

/** Gathers what searches found and which spans of the answer it backs, until the answer's text is whole. */
export class Grounding {
  /** Whether the answer is a grounded one: the server says so on every chunk, long before it says by what. */
  begun = false;
  readonly #supports: Support[] = [];
  readonly #queries = new Set<string>();
  readonly #urls = new Set<string>();
  readonly #retrievals = new Set<string>();
  readonly #files = new Map<string, FileSearchResult>();
  #entryPoint: string | undefined;

  read(candidate: JsonObject): void {
    if (isObject(candidate["groundingMetadata"])) this.#readGrounding(candidate["groundingMetadata"]);
    if (isObject(candidate["citationMetadata"])) this.#readCitations(candidate["citationMetadata"]);
  }

  #readGrounding(metadata: JsonObject): void {
    this.begun = true;
    const sources = objectsIn(metadata["groundingChunks"]).map(sourceOf);
    for (const query of stringsIn(metadata["webSearchQueries"])) this.#queries.add(query);
    for (const query of stringsIn(metadata["retrievalQueries"])) this.#retrievals.add(query);
    for (const { url, file } of sources)
      if (file) this.#files.set(JSON.stringify(file), file);
      else if (url) this.#urls.add(url);
    this.#entryPoint ??= textIn(objectIn(metadata["searchEntryPoint"])["renderedContent"]);
    for (const support of objectsIn(metadata["groundingSupports"])) this.#readSupport(support, sources);
  }

  #readSupport(support: JsonObject, sources: readonly Source[]): void {
    const segment = objectIn(support["segment"]);
    const indices = Array.isArray(support["groundingChunkIndices"]) ? support["groundingChunkIndices"] : [];
    const span = { start: number(segment["startIndex"]), end: number(segment["endIndex"]), text: textIn(segment["text"]) };
    for (const index of indices) {
      const source = sources[number(index)];
      if (source) this.#supports.push({ ...span, source });
    }
  }

  /** Text that the model recites from somewhere; the two APIs of the wire call the list differently. */
  #readCitations(metadata: JsonObject): void {
    for (const citation of objectsIn(metadata["citationSources"] ?? metadata["citations"])) {
      const url = textIn(citation["uri"]);
      if (!url) continue;
      const license = textIn(citation["license"]);
      const source = { url, title: textIn(citation["title"]) ?? "", ...(license !== undefined && { license }) };
      this.#supports.push({ start: number(citation["startIndex"]), end: number(citation["endIndex"]), text: undefined, source });
    }
  }

  /** The annotations of a message's text; `before` is the text of the answer's earlier messages, which can no longer be annotated. */
  annotations(text: string, before: string): { found: Annotation[]; missed: number } {
    if (this.#supports.length === 0) return { found: [], missed: 0 };
    const whole = before + text;
    const bytes = new ByteIndex(whole);
    const found = new Map<string, Annotation>();
    let missed = 0;
    for (const support of this.#supports) {
      const place = locate(support, bytes, whole, before.length);
      const annotation = place && annotationOf(support.source, place.start, place.end);
      if (annotation) found.set(JSON.stringify(annotation), annotation);
      else missed += 1;
    }
    return { found: [...found.values()], missed };
  }

  /** The searches of the answer, as items. */
  items(newId: (prefix: string) => string): (WebSearchCall | FileSearchCall)[] {
    const items: (WebSearchCall | FileSearchCall)[] = [];
    if (this.#files.size > 0)
      items.push({
        type: "file_search_call",
        id: newId("fs"),
        status: "completed",
        queries: [...this.#retrievals],
        results: [...this.#files.values()],
      });
    if (this.#queries.size > 0)
      items.push({
        type: "web_search_call",
        id: newId("ws"),
        status: "completed",
        action: searchAction([...this.#queries], [...this.#urls]),
        ...withExtra("searchEntryPoint", this.#entryPoint),
      });
    return items;
  }
}

/** A search as an item tells it. */
export const searchAction = (queries: string[], urls: string[]): WebSearchCall["action"] => ({
  type: "search",
  ...(queries[0] !== undefined && { query: queries[0] }),
  queries,
  ...(urls.length > 0 && { sources: urls.map((url) => ({ type: "url", url })) }),
});

/** Where a span is in the last message, in code units. Where its bytes do not fit its text, the text is looked for. */
function locate(
  { start, end, text }: Support,
  bytes: ByteIndex,
  whole: string,
  offset: number,
): { start: number; end: number } | undefined {
  const place = { start: bytes.toUnit(start) - offset, end: bytes.toUnit(end) - offset };
  const fits = text === undefined || whole.slice(place.start + offset, place.end + offset) === text;
  if (fits && place.start >= 0) return place;
  const at = text === undefined ? -1 : whole.indexOf(text, offset);
  return at === -1 ? undefined : { start: at - offset, end: at - offset + text!.length };
}

function annotationOf({ url, title, license, file }: Source, start_index: number, end_index: number): Annotation | undefined {
  if (file && !url) {
    const { file_id = "", filename = "" } = file;
    return { type: "file_citation", file_id, filename, index: end_index };
  }
  if (!url) return undefined;
  return { type: "url_citation", url, title, start_index, end_index, ...withExtra("license", license) };
}
