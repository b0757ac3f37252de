import type { JsonObject } from "../../model/guards.ts";
import type { Annotation, FileSearchResult, WebSearchCall } from "../../model/index.ts";
import { extras } from "./extension.ts";
import { ByteIndex, byteLength } from "./utf8.ts";

/** Something that a span may be backed by, under a key that tells it from the others. */
interface Source {
  key: string;
  chunk: JsonObject;
}

interface Cited {
  output_index: number;
  start: number;
  end: number;
  source: Source;
  license: unknown;
}

const page = (uri: string, title: string): Source => ({ key: uri, chunk: { web: { uri, title } } });
const file = ({ file_id = "", filename, text }: FileSearchResult): Source => ({
  key: `file ${file_id}`,
  chunk: { retrievedContext: { documentName: file_id, ...(filename && { title: filename }), ...(text && { text }) } },
});

/** Gathers the texts, citations and searches of an answer, and tells them as the wire does: all at the end, in bytes. */
export class GroundingWriter {
  readonly #texts = new Map<number, string>();
  readonly #cited: Cited[] = [];
  readonly #queries = new Set<string>();
  readonly #retrievals = new Set<string>();
  readonly #files: Source[] = [];
  readonly #pages: Source[] = [];
  #entryPoint: unknown;

  /** Whether anything is cited so far. */
  get isCited(): boolean {
    return this.#cited.length > 0;
  }

  text(output_index: number, delta: string): void {
    this.#texts.set(output_index, (this.#texts.get(output_index) ?? "") + delta);
  }

  annotate(output_index: number, annotation: Annotation): void {
    if (annotation.type === "url_citation") {
      const { url, title, start_index: start, end_index: end } = annotation;
      this.#cited.push({ output_index, start, end, source: page(url, title), license: extras(annotation)["license"] });
    } else if (annotation.type === "file_citation") {
      const { index } = annotation;
      this.#cited.push({ output_index, start: index, end: index, source: file(annotation), license: undefined });
    }
  }

  search(item: WebSearchCall): void {
    const { action } = item;
    if (action?.type !== "search") return;
    const queries = action.queries ?? (action.query === undefined ? [] : [action.query]);
    for (const query of queries) this.#queries.add(query);
    for (const { url } of action.sources ?? []) if (url) this.#pages.push(page(url, ""));
    this.#entryPoint ??= extras(item)["searchEntryPoint"];
  }

  files(queries: readonly string[], results: readonly FileSearchResult[]): void {
    for (const query of queries) this.#retrievals.add(query);
    this.#files.push(...results.map(file));
  }

  /** The fields of a candidate that tell it; none where there is nothing to tell. */
  fields(): JsonObject {
    const recited = this.#cited.filter(({ license }) => license !== undefined);
    const metadata = this.#metadata(this.#cited.filter(({ license }) => license === undefined));
    return {
      ...(Object.keys(metadata).length > 0 && { groundingMetadata: metadata }),
      ...(recited.length > 0 && { citationMetadata: { citationSources: this.#citations(recited) } }),
    };
  }

  #metadata(cited: readonly Cited[]): JsonObject {
    const sources = this.#sources(cited);
    return {
      ...(this.#queries.size > 0 && { webSearchQueries: [...this.#queries] }),
      ...(this.#retrievals.size > 0 && { retrievalQueries: [...this.#retrievals] }),
      ...(this.#entryPoint !== undefined && { searchEntryPoint: { renderedContent: this.#entryPoint } }),
      ...(sources.length > 0 && { groundingChunks: sources.map(({ chunk }) => chunk) }),
      ...(cited.length > 0 && { groundingSupports: this.#supports(cited, sources) }),
    };
  }

  /** What backs the answer, each once: a page is best told by its citation, which has a title, a file by its result, which has text. */
  #sources(cited: readonly Cited[]): Source[] {
    const sources = new Map<string, Source>();
    for (const source of [...this.#files, ...this.#pages, ...cited.map((one) => one.source)])
      if (!sources.has(source.key) || source.chunk["web"] !== undefined) sources.set(source.key, source);
    return [...sources.values()];
  }

  #supports(cited: readonly Cited[], sources: readonly Source[]): JsonObject[] {
    const place = this.#places();
    return cited.map(({ output_index, start, end, source }) => {
      const text = (this.#texts.get(output_index) ?? "").slice(start, end);
      const segment = { ...place(output_index, start, end), ...(text && { text }) };
      return { segment, groundingChunkIndices: [sources.findIndex(({ key }) => key === source.key)] };
    });
  }

  #citations(cited: readonly Cited[]): JsonObject[] {
    const place = this.#places();
    return cited.map(({ output_index, start, end, source, license }) => ({
      ...place(output_index, start, end),
      ...(source.chunk["web"] as JsonObject),
      license,
    }));
  }

  /** Where a span of one message is in the text of all, in bytes. */
  #places(): (output_index: number, start: number, end: number) => JsonObject {
    const found = new Map<number, { base: number; bytes: ByteIndex }>();
    let base = 0;
    for (const [output_index, text] of this.#texts) {
      found.set(output_index, { base, bytes: new ByteIndex(text) });
      base += byteLength(text);
    }
    return (output_index, start, end) => {
      const { base: from, bytes } = found.get(output_index) ?? { base: 0, bytes: new ByteIndex("") };
      return { startIndex: from + bytes.toByte(start), endIndex: from + bytes.toByte(end) };
    };
  }
}
