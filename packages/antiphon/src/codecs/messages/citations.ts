import type { Annotation, FileCitation, UrlCitation } from "../../model/index.ts";
import { extra, isBlock, stringIn, withExtra, type Block } from "./extension.ts";

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** A citation of the wire as an annotation of the span that it backs; the citation itself is kept for the way back. */
export function toAnnotation(citation: Block, start_index: number, end_index: number): Annotation {
  const url = stringIn(citation["url"]) ?? stringIn(citation["source"]) ?? "";
  const title = stringIn(citation["title"]) ?? stringIn(citation["document_title"]) ?? "";
  if (isUrl(url)) {
    const found: UrlCitation = { type: "url_citation", url, title, start_index, end_index };
    return { ...found, ...withExtra("citation", sealed(citation)) };
  }
  const file_id = stringIn(citation["file_id"]) ?? url;
  const found: FileCitation = { type: "file_citation", file_id, filename: title, index: end_index };
  return { ...found, ...withExtra("start_index", start_index), ...withExtra("citation", sealed(citation)) };
}

// A server of ours, in front of another provider, cites without words; such a citation must not go back as one of the wire's.
const sealed = (citation: Block): Block | undefined => (citation["cited_text"] === "" ? undefined : citation);

/** The citation of the wire that an annotation was made from. */
export function ownCitation(annotation: Annotation): Block | undefined {
  const citation = extra(annotation, "citation");
  return isBlock(citation) ? citation : undefined;
}

/** Any annotation as a citation: the wire's own where it made one, else what it can say of a page or a file. */
export function toCitation(annotation: Annotation): Block {
  const own = ownCitation(annotation);
  if (own) return own;
  if (annotation.type === "url_citation") {
    const { url, title } = annotation;
    return { type: "web_search_result_location", url, title, cited_text: "", encrypted_index: "" };
  }
  const document_title = "filename" in annotation ? (annotation.filename ?? null) : null;
  const place = { document_index: 0, document_title, start_char_index: 0, end_char_index: 0 };
  return { type: "char_location", cited_text: "", file_id: annotation.file_id, ...place };
}

type Cite = (annotation: Annotation) => Block | undefined;

interface Cited {
  start: number;
  end: number;
  citations: Block[];
}

function citedSpan(annotation: Annotation, citation: Block, length: number): Cited | undefined {
  const first = "start_index" in annotation ? annotation.start_index : extra(annotation, "start_index");
  const last = "end_index" in annotation ? annotation.end_index : annotation.index;
  const start = typeof first === "number" ? Math.max(0, first) : 0;
  const end = Math.min(last, length);
  return start < end ? { start, end, citations: [citation] } : undefined;
}

/** The spans of a text that have citations, in order; those of one span together, those that overlap an earlier one left out. */
function citedSpans(annotations: readonly Annotation[], length: number, cite: Cite): Cited[] {
  const spans: Cited[] = [];
  const found = annotations.flatMap((annotation) => {
    const citation = cite(annotation);
    return (citation && citedSpan(annotation, citation, length)) ?? [];
  });
  for (const span of found.sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = spans.at(-1);
    if (last?.start === span.start && last.end === span.end) last.citations.push(...span.citations);
    else if (!last || span.start >= last.end) spans.push(span);
  }
  return spans;
}

/** A text as the blocks that the wire had it in: a cited span is a block of its own. */
export function toTextBlocks(text: string, annotations: readonly Annotation[], cite: Cite): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  const add = (end: number, citations?: Block[]): void => {
    if (end > at) blocks.push({ type: "text", text: text.slice(at, end), ...(citations && { citations }) });
    at = end;
  };
  for (const { start, end, citations } of citedSpans(annotations, text.length, cite)) {
    add(start);
    add(end, citations);
  }
  add(text.length);
  return blocks;
}

/** The same blocks without those of white space alone, which the wire says but does not take: it goes with the text after it. */
export function withoutBlanks(blocks: readonly Block[]): Block[] {
  let blank = "";
  return blocks.flatMap((block) => {
    const text = blank + String(block["text"]);
    blank = text.trim() === "" ? text : "";
    return blank === "" ? [{ ...block, text }] : [];
  });
}
