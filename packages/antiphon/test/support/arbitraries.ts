import fc, { type Arbitrary } from "fast-check";
import { blankResponse } from "../../src/core/blank-response.ts";
import type { Writer } from "../../src/core/writer.ts";
import type {
  Annotation,
  CodeInterpreterCall,
  CustomToolCall,
  ExtensionItem,
  FunctionCall,
  Item,
  LogProb,
  McpCall,
  Message,
  MessageContent,
  Reasoning,
  ResponseResource,
  WebSearchCall,
} from "../../src/model/index.ts";

const words = fc.string({ unit: "grapheme", maxLength: 20 });
const id = (prefix: string): Arbitrary<string> => fc.stringMatching(/^[a-z0-9]{6}$/).map((tail) => `${prefix}_${tail}`);
const status = fc.constantFrom("completed" as const, "incomplete" as const);

const annotation: Arbitrary<Annotation> = fc.record({
  type: fc.constant("url_citation" as const),
  url: fc.webUrl(),
  title: words,
  start_index: fc.nat(9),
  end_index: fc.nat(9),
});

const part: Arbitrary<MessageContent> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("output_text" as const),
      text: words,
      annotations: fc.array(annotation, { maxLength: 2 }),
      logprobs: fc.constant<LogProb[]>([]),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("refusal" as const), refusal: words }) },
);

const message: Arbitrary<Message> = fc.record({
  type: fc.constant("message" as const),
  id: id("msg"),
  status,
  role: fc.constant("assistant" as const),
  content: fc.array(part, { maxLength: 3 }),
});

const summary = fc.array(fc.record({ type: fc.constant("summary_text" as const), text: words }), { maxLength: 2 });
const thoughts = fc.array(fc.record({ type: fc.constant("reasoning_text" as const), text: words }), {
  minLength: 1,
  maxLength: 2,
});
const reasoning: Arbitrary<Reasoning> = fc
  .record(
    { type: fc.constant("reasoning" as const), id: id("rs"), status, summary, content: thoughts, encrypted_content: words },
    { requiredKeys: ["type", "id", "status", "summary"] },
  )
  .map((item) => ({ ...item }));

const call: Arbitrary<FunctionCall> = fc.record({
  type: fc.constant("function_call" as const),
  id: id("fc"),
  call_id: id("call"),
  name: fc.constantFrom("weather", "clock"),
  arguments: words.map((text) => JSON.stringify({ text })),
  status,
});

const custom: Arbitrary<CustomToolCall> = fc.record({
  type: fc.constant("custom_tool_call" as const),
  id: id("ctc"),
  call_id: id("call"),
  name: fc.constant("patch"),
  input: words,
  status,
});

const search: Arbitrary<WebSearchCall> = fc.record({
  type: fc.constant("web_search_call" as const),
  id: id("ws"),
  status: fc.constant("completed" as const),
  action: fc.record({ type: fc.constant("search" as const), query: words }),
});

const code: Arbitrary<CodeInterpreterCall> = fc.record({
  type: fc.constant("code_interpreter_call" as const),
  id: id("ci"),
  status: fc.constant("completed" as const),
  code: words,
  container_id: id("cntr"),
  outputs: fc.constant(null),
});

const mcp: Arbitrary<McpCall> = fc.record({
  type: fc.constant("mcp_call" as const),
  id: id("mcp"),
  server_label: fc.constant("docs"),
  name: fc.constant("read"),
  arguments: words,
  output: fc.option(words),
});

const extension: Arbitrary<ExtensionItem> = fc.record({
  type: fc.constant("acme:note" as const),
  id: id("note"),
  status: fc.constant("completed"),
  body: words,
});

/** Any item that a finished response may hold. */
export const items: Arbitrary<Item> = fc.oneof(message, reasoning, call, custom, search, code, mcp, extension);

/** Finished responses of every kind; only those that stopped short hold an incomplete item. */
export const responses: Arbitrary<ResponseResource> = fc
  .record({ output: fc.array(items, { maxLength: 5 }), end: fc.constantFrom("completed", "incomplete", "failed"), model: words })
  .map(({ output, end, model }): ResponseResource => {
    const blank = { ...blankResponse("resp_generated", 1_700_000_000, { model }), output };
    if (end === "failed") return { ...blank, status: "failed", error: { code: "server_error", message: "It broke." } };
    if (end === "incomplete") return { ...blank, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    return { ...blank, status: "completed", completed_at: 1_700_000_001, output: output.map(completed) };
  });

const completed = (item: Item): Item => ({ ...item, ...(item.status === undefined ? {} : { status: "completed" }) });

/** One step of a program that drives a writer. */
export type Step = (writer: Writer) => void;
const key = fc.constantFrom("a", "b", "c");

/** Programs of writer verbs in any order, with items open side by side. */
export const programs: Arbitrary<Step[]> = fc.array(
  fc.oneof(
    words.map(
      (text): Step =>
        (writer) =>
          writer.text(text),
    ),
    fc.tuple(words, key).map(
      ([text, under]): Step =>
        (writer) =>
          writer.text(text, `text-${under}`),
    ),
    words.map(
      (text): Step =>
        (writer) =>
          writer.refusal(text),
    ),
    words.map(
      (text): Step =>
        (writer) =>
          writer.reasoning(text),
    ),
    fc.tuple(words, key).map(
      ([text, under]): Step =>
        (writer) =>
          writer.summary(text, `thought-${under}`),
    ),
    key.map(
      (under): Step =>
        (writer) =>
          writer.isOpen(under) || writer.call(under, { call_id: `call_${under}`, name: "weather" }),
    ),
    fc.tuple(words, key).map(
      ([text, under]): Step =>
        (writer) =>
          writer.args(under, text),
    ),
    key.map(
      (under): Step =>
        (writer) =>
          writer.close(under),
    ),
    annotation.map(
      (note): Step =>
        (writer) =>
          writer.annotate(note),
    ),
    key.map(
      (under): Step =>
        (writer) =>
          writer.nextPart(`text-${under}`),
    ),
    items
      .filter((item) => item.status !== "incomplete")
      .map(
        (item): Step =>
          (writer) =>
            writer.item(item),
      ),
    words.map(
      (blob): Step =>
        (writer) =>
          writer.set("reasoning", { encrypted_content: blob }),
    ),
  ),
  { maxLength: 25 },
);
