import type { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { Annotation } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";

const key = "search";
const string = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** An annotation of the wire, `{ type, [type]: { … } }`, in the common shape; what a citation must have is filled in. */
export function decodeAnnotation(raw: unknown): Annotation | undefined {
  if (!isObject(raw) || typeof raw["type"] !== "string") return undefined;
  const { type } = raw;
  const inner = isObject(raw[type]) ? raw[type] : raw;
  const cited =
    type === "url_citation"
      ? { title: string(inner["title"]), start_index: number(inner["start_index"]), end_index: number(inner["end_index"]) }
      : {};
  // Whatever else the server says of a source is kept.
  return { ...inner, type, ...cited } as Annotation;
}

/**
 * The pages that a searching model names beside its answer, again in every chunk: together they are one web search, and each
 * mark `[n]` in the text cites the n-th of them.
 */
export class Sources {
  readonly #ctx: Ctx;
  readonly #writer: Writer;
  #pages: JsonObject[] = [];

  constructor(ctx: Ctx, writer: Writer) {
    this.#ctx = ctx;
    this.#writer = writer;
  }

  /** Reads the lists of a chunk or a plain answer. */
  read({ search_results, citations }: JsonObject): void {
    const pages = pagesIn(search_results) ?? pagesIn(citations);
    if (!pages || pages.length < this.#pages.length) return;
    if (!this.#writer.isOpen(key))
      this.#writer.open(key, { type: "web_search_call", id: this.#ctx.newId("ws"), status: "in_progress" });
    this.#pages = pages;
  }

  /** Closes the search; cites by the marks, unless the server has cited already. */
  end(cited: boolean): void {
    if (this.#pages.length === 0) return;
    const sources = this.#pages.map((page) => ({ ...page, type: "url" }));
    this.#writer.set(key, { action: { type: "search", sources } });
    if (!cited) for (const citation of this.#cited()) this.#writer.annotate(citation);
    this.#writer.close(key);
  }

  #cited(): Annotation[] {
    const message = this.#writer.items.findLast((item) => item.type === "message");
    const part = message?.content.at(-1);
    if (part?.type !== "output_text" || !this.#writer.isOpen("message")) return [];
    return [...part.text.matchAll(/\[(\d+)\]/g)].flatMap((mark) => {
      const page = this.#pages[Number(mark[1]) - 1];
      const start_index = mark.index;
      const span = { start_index, end_index: start_index + mark[0].length };
      return page ? [{ type: "url_citation" as const, url: string(page["url"]), title: string(page["title"]), ...span }] : [];
    });
  }
}

function pagesIn(list: unknown): JsonObject[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.flatMap((page: unknown) => (typeof page === "string" ? [{ url: page }] : isObject(page) ? [page] : []));
}
