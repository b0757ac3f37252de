import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { messagesCodec, messagesServer } from "../../../src/codecs/messages/index.ts";
import { seal } from "../../../src/codecs/shared/envelope.ts";
import { roundTripLaw } from "../../../src/testing/laws.ts";
import type { CreateResponse, InputContent, InputItem, Tool } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";

// Requests in the words that both sides have: what has two spellings on the wire's side is written in the one that is read back.
const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }).filter((text) => text.trim() === text && text !== "");
const id = fc.oneof(fc.stringMatching(/^[a-z0-9]{6}$/), fc.constantFrom("functions.foo:0", "ünïcode", "a b"));

const part: Arbitrary<InputContent> = fc.oneof(
  words.map((text): InputContent => ({ type: "input_text", text })),
  fc.webUrl().map((image_url): InputContent => ({ type: "input_image", image_url })),
  fc.constant<InputContent>({ type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgoAAAA" }),
  words.map((filename): InputContent => ({ type: "input_file", filename, file_data: "data:application/pdf;base64,JVBERi0x" })),
  words.map((filename): InputContent => ({ type: "input_file", filename, file_id: "file_1" })),
);
const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const question = parts.map((content): InputItem => ({ type: "message", role: "user", content }));
const answer = words.map((text): InputItem => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
}));
const thought = fc.record({ text: words, blob: words }).map(({ text, blob }): InputItem => ({
  type: "reasoning",
  summary: [],
  content: [{ type: "reasoning_text", text }],
  encrypted_content: seal({ wire: "messages", kind: "signature", data: blob }),
}));

/** A turn of the assistant: thinking, words and calls, with the results of these. */
const turn: Arbitrary<InputItem[]> = fc
  .record({
    thought: fc.option(thought, { nil: undefined }),
    answer,
    calls: fc.uniqueArray(id, { maxLength: 3 }),
    results: fc.array(fc.tuple(fc.oneof(words, parts), fc.boolean()), { minLength: 3, maxLength: 3 }),
  })
  .map(({ thought: first, answer: said, calls, results }) => [
    ...(first ? [first] : []),
    said,
    ...calls.map((call_id): InputItem => ({ type: "function_call", call_id, name: "weather", arguments: '{"city":"Oslo"}' })),
    ...calls.map((call_id, index): InputItem => {
      const [output, failed] = results[index]!;
      return { type: "function_call_output", call_id, output, ...(failed && { status: "incomplete" as const }) };
    }),
  ]);

/** Ids that were used before are renamed on the wire, so each turn uses its own. */
const distinct = (turns: InputItem[][]): InputItem[][] =>
  turns.map((items, index) =>
    items.map((item) => ("call_id" in item ? { ...item, call_id: `${String(item.call_id)}-${index}` } : item)),
  );

const conversation: Arbitrary<InputItem[]> = fc
  .record({ first: question, turns: fc.array(fc.tuple(turn, question), { maxLength: 3 }) })
  .map(({ first, turns }) => [first, ...distinct(turns.map(([items, next]) => [...items, next])).flat()]);

const object = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const weather = fc.record(
  {
    type: fc.constant("function" as const),
    name: fc.constant("weather"),
    parameters: fc.constant(object),
    description: words,
    strict: fc.boolean(),
  },
  { requiredKeys: ["type", "name", "parameters"] },
);
const search: Arbitrary<Tool> = fc.record(
  { type: fc.constant("web_search" as const), filters: fc.record({ allowed_domains: fc.array(fc.domain(), { minLength: 1 }) }) },
  { requiredKeys: ["type"] },
);
const others: Arbitrary<Tool> = fc.oneof(
  search,
  fc.constant<Tool>({ type: "code_interpreter", container: "cntr_1" }),
  fc.constant<Tool>({ type: "code_interpreter", container: { type: "auto" } }),
  fc.constant<Tool>({ type: "anthropic:bash_20250124", name: "bash" }),
  fc.record({
    type: fc.constant("mcp" as const),
    server_label: fc.constant("docs"),
    server_url: fc.webUrl(),
    require_approval: fc.constant("never" as const),
  }),
);
const tools = fc.tuple(weather, fc.option(others)).map(([first, second]): Tool[] => (second ? [first, second] : [first]));

const request: Arbitrary<CreateResponse> = fc.record(
  {
    model: fc.constantFrom("claude-3-5-haiku", "claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-5"),
    input: conversation,
    instructions: words,
    max_output_tokens: fc.integer({ min: 1, max: 100_000 }),
    tools,
    tool_choice: fc.constantFrom("auto" as const, "required" as const, { type: "function" as const, name: "weather" }),
    parallel_tool_calls: fc.boolean(),
    reasoning: fc.record(
      {
        effort: fc.constantFrom("none" as const, "minimal" as const, "low" as const, "high" as const, "xhigh" as const),
        summary: fc.constant("auto" as const),
      },
      { requiredKeys: ["effort"] },
    ),
    text: fc.constant({ format: { type: "json_schema" as const, name: "answer", schema: object, strict: true } }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.array(words, { minLength: 1, maxLength: 3 }),
    safety_identifier: words,
    service_tier: fc.constantFrom("auto", "default", "flex"),
    seed: fc.nat(),
    max_tool_calls: fc.integer({ min: 1, max: 9 }),
    context_management: fc.constant([{ type: "compaction", compact_threshold: 50_000 }]),
  },
  { requiredKeys: ["model", "input", "tools", "tool_choice", "max_output_tokens"] },
);

/** Where a request is said in a way that another request would be said in too; each is a decision of the encoder. */
function isCanonical({ model, text, reasoning, input, tools: declared }: CreateResponse): boolean {
  const old = model?.startsWith("claude-3") ?? true;
  // The tool that stands in for typed output is a tool to whoever reads the body.
  if (old && text) return false;
  // Where no tool is strict, not to be strict is not worth a word.
  if (old && declared?.some((tool) => "strict" in tool && tool.strict === false)) return false;
  // Thinking that is off shows no summary, and where one is shown, thoughts of the history are read as summaries.
  const thoughts = Array.isArray(input) && input.some(({ type }) => type === "reasoning");
  return !reasoning?.summary || (reasoning.effort !== "none" && !thoughts);
}

test("a server reads of our request what we were asked, but for declared losses", () => {
  fc.assert(
    fc.property(request.filter(isCanonical), (asked) => {
      expect(roundTripLaw(messagesCodec(), messagesServer(), testCtx(asked))).toBeUndefined();
    }),
    { numRuns: runs(300, 20_000) },
  );
});
