import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { chatCodec, chatServer, openaiDialect, type ChatDialect } from "../../../src/codecs/chat/index.ts";
import { assistant, developer, system, user, type CreateResponse, type InputItem, type Tool } from "../../../src/model/index.ts";
import { roundTripLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";
import { vendors } from "./vendors.ts";

// Requests in the wire's normal form: what can be said in several ways is said in the one that comes back.

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/);
// What Mistral takes, everybody takes.
const callId = fc.stringMatching(/^[a-zA-Z0-9]{9}$/);
const json = fc.dictionary(word, text).map((value) => JSON.stringify(value));

const parts = fc
  .array(
    fc.oneof(
      text.map((one) => ({ type: "input_text" as const, text: one })),
      fc.record({ type: fc.constant("input_image" as const), image_url: fc.webUrl(), detail: fc.constantFrom("low", "high") }),
      fc.constant({ type: "input_file" as const, filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" }),
      fc.constant({ type: "input_audio" as const, input_audio: { data: "SUQz", format: "mp3" } }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .filter((list) => list.some((part) => part.type !== "input_text"))
  .map((content) => user(content as Parameters<typeof user>[0]));

const reasoning: Arbitrary<InputItem> = text
  .filter((thought) => thought.trim() !== "")
  .map((thought) => ({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: thought }] }));

const refusal: Arbitrary<InputItem> = text.map((words) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "refusal", refusal: words }],
}));

/** What the assistant did, and what its tools gave: thoughts first, then text, then calls with their results. */
const turn: Arbitrary<InputItem[]> = fc
  .record({
    thought: fc.option(reasoning),
    said: fc.option(fc.oneof(text.map(assistant), refusal)),
    calls: fc.uniqueArray(callId, { maxLength: 3 }),
    args: json,
    output: text,
    custom: fc.boolean(),
  })
  .filter(({ said, calls }) => said !== null || calls.length > 0)
  .map(({ thought, said, calls, args, output, custom }) => [
    ...(thought ? [thought] : []),
    ...(said ? [said] : []),
    ...calls.map((call_id): InputItem =>
      custom
        ? { type: "custom_tool_call", call_id, name: "patch", input: output }
        : { type: "function_call", call_id, name: "weather", arguments: args },
    ),
    ...calls.map(
      (call_id): InputItem =>
        ({ type: custom ? "custom_tool_call_output" : "function_call_output", call_id, output }) as InputItem,
    ),
  ]);

const spoken = fc.oneof(
  text.map((content) => [user(content)]),
  parts.map((message) => [message]),
  text.map((content) => [system(content)]),
  text.map((content) => [developer(content)]),
);

/** A conversation: the assistant never speaks twice in a row, which the wire would take for one message. */
const input: Arbitrary<InputItem[]> = fc
  .tuple(text, fc.array(fc.tuple(turn, spoken), { maxLength: 3 }))
  .map(([first, rest]) => [user(first), ...rest.flatMap(([mine, yours]) => [...mine, ...yours])]);

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const functions: Arbitrary<Tool[]> = fc.uniqueArray(
  fc.record(
    {
      type: fc.constant("function" as const),
      name: word,
      description: text,
      parameters: fc.constant(schema),
      strict: fc.constant(true),
    },
    { requiredKeys: ["type", "name", "parameters"] },
  ),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);
const customs: Arbitrary<Tool[]> = fc.constantFrom<Tool[]>(
  [],
  [{ type: "custom", name: "patch", description: "Patches.", format: { type: "text" } }],
  [{ type: "custom", name: "sum_up", format: { type: "grammar", syntax: "lark", definition: "start: /a+/" } }],
  [{ type: "web_search", search_context_size: "low", user_location: { type: "approximate", city: "Oslo" } }],
);

const choices = (tools: Tool[]) => {
  const [first] = tools as { name: string }[];
  const name = first?.name ?? "";
  return fc.constantFrom(
    "auto" as const,
    "none" as const,
    "required" as const,
    { type: "function" as const, name },
    { type: "allowed_tools" as const, mode: "auto" as const, tools: [{ type: "function", name }] },
  );
};

const tooling: Arbitrary<Partial<CreateResponse>> = fc
  .tuple(functions, customs)
  .chain(([list, more]) =>
    fc.record(
      { tools: fc.constant([...list, ...more]), tool_choice: choices(list), parallel_tool_calls: fc.boolean() },
      { requiredKeys: ["tools"] },
    ),
  );

const settings: Arbitrary<Partial<CreateResponse>> = fc.record(
  {
    model: word,
    instructions: text,
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
    frequency_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
    max_output_tokens: fc.nat(),
    seed: fc.nat(),
    stop: fc.oneof(text, fc.array(text, { minLength: 1 })),
    metadata: fc.dictionary(word, text),
    service_tier: fc.constant("flex"),
    safety_identifier: word,
    user: word,
    prompt_cache_key: word,
    prompt_cache_retention: fc.constant("24h"),
    reasoning: fc.constantFrom({ effort: "high" as const }, { effort: "none" as const }),
    include: fc.constant(["message.output_text.logprobs" as const]),
    text: fc.constantFrom<CreateResponse["text"]>(
      { format: { type: "json_object" }, verbosity: "low" },
      { format: { type: "json_schema", name: "place", description: "A place.", schema, strict: true } },
      { verbosity: "high" },
    ),
    max_tool_calls: fc.nat(9),
    truncation: fc.constant("auto" as const),
    stream_options: fc.constant({ include_obfuscation: false }),
    stream: fc.boolean(),
  },
  { requiredKeys: [] },
);

const requests: Arbitrary<CreateResponse> = fc
  .tuple(settings, fc.option(tooling, { nil: {} }), input)
  .map(([some, tools, conversation]) => ({ ...some, ...tools, input: conversation, store: false }))
  .filter(({ stream, stream_options }) => stream !== false || !stream_options);

/** Whether a request needs no stand-in: a function for a free-form tool, or a hidden tool for a schema, comes back as what it is. */
const isNative = ({ tools, input: items, text: form }: CreateResponse, { customTools, formats }: Partial<ChatDialect>): boolean =>
  (customTools === true || ![...(tools ?? []), ...(items as InputItem[])].some(({ type }) => type?.startsWith("custom"))) &&
  (form?.format?.type !== "json_schema" || (formats ?? ["json_schema"]).includes("json_schema"));

describe("round trip: a server reads what was asked, but for declared losses", () => {
  test.each(Object.entries({ plain: {}, ...vendors }))("in the words of %s", (_, dialect) => {
    fc.assert(
      fc.property(requests, (request) => {
        fc.pre(isNative(request, dialect));
        expect(roundTripLaw(chatCodec(dialect), chatServer(), testCtx(request))).toBeUndefined();
      }),
      { numRuns: runs(40, 4_000) },
    );
  });

  test("by OpenAI's own dialect nothing of the wire's vocabulary is lost", () => {
    fc.assert(
      fc.property(requests, (request) => {
        const { max_tool_calls: _, truncation: __, ...sayable } = request;
        const withoutThoughts = { ...sayable, input: (sayable.input as InputItem[]).filter(({ type }) => type !== "reasoning") };
        expect(chatCodec(openaiDialect).encodeRequest(testCtx(withoutThoughts)).losses).toEqual([]);
      }),
      { numRuns: runs(100, 4_000) },
    );
  });
});
