import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { geminiCodec, geminiRoute, geminiServer } from "../../../src/codecs/gemini/index.ts";
import { seal } from "../../../src/codecs/shared/envelope.ts";
import { reduce } from "../../../src/core/reduce.ts";
import type { CreateResponse, InputContent, InputItem, Tool } from "../../../src/model/index.ts";
import { decodeValues, lifecycleLaw, parityLaw, roundTripLaw } from "../../../src/testing/laws.ts";
import { expand } from "../../../src/core/expand.ts";
import { responses } from "../../support/arbitraries.ts";
import { runs } from "../../support/runs.ts";
import { ctxFor } from "./support.ts";

const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const base64 = fc.base64String({ minLength: 4, maxLength: 12 });
const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,8}$/);

const content: Arbitrary<InputContent> = fc.oneof(
  { weight: 4, arbitrary: words.map((text): InputContent => ({ type: "input_text", text })) },
  base64.map((data): InputContent => ({ type: "input_image", image_url: `data:image/png;base64,${data}` })),
  base64.map((data): InputContent => ({ type: "input_file", file_data: `data:application/pdf;base64,${data}` })),
  base64.map((data): InputContent => ({ type: "input_audio", input_audio: { data, format: "wav" } })),
  fc.constant<InputContent>({ type: "input_image", image_url: "https://a.example/b.png" }),
  fc.constant<InputContent>({ type: "input_video", video_url: "gs://a/b.mp4" }),
);
const user: Arbitrary<InputItem[]> = fc
  .array(content, { minLength: 1, maxLength: 3 })
  .map((parts) => [{ type: "message", role: "user", content: parts }]);

const said: Arbitrary<InputItem[]> = fc
  .array(words, { minLength: 1, maxLength: 2 })
  .map((texts) => [{ type: "message", role: "assistant", content: texts.map((text) => ({ type: "output_text", text })) }]);
const thought = (kind: string): Arbitrary<InputItem> =>
  fc.record({ data: base64, texts: fc.array(words, { maxLength: 1 }) }).map(({ data, texts }) => ({
    type: "reasoning",
    summary: texts.map((text) => ({ type: "summary_text", text })),
    encrypted_content: seal({ wire: "gemini", kind, data }),
  }));

const jsonArguments = fc.dictionary(name, fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)), {
  maxKeys: 3,
  noNullPrototype: true,
});
const outputs = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  jsonArguments.map((value) => JSON.stringify(value)),
  fc.constantFrom('{"output":"x"}', '{"error":1}', "[1,2]", "{}", '{ "a": 1 }', "1.0", '{"n":12345678901234567890}'),
);

/** A turn of calls, some of them signed, with all their results. */
const calls: Arbitrary<InputItem[]> = fc
  .record({
    signature: fc.option(thought("call")),
    calls: fc.array(fc.record({ name, args: jsonArguments, output: outputs, failed: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    run: fc.uuid(),
  })
  .map(({ signature, calls: list, run }) => [
    ...(signature ? [signature] : []),
    ...list.map(({ name: called, args }, index): InputItem => ({
      type: "function_call",
      call_id: `${run}_${index}`,
      name: called,
      arguments: JSON.stringify(args),
    })),
    ...list.map(({ output, failed }, index): InputItem => ({
      type: "function_call_output",
      call_id: `${run}_${index}`,
      output,
      ...(failed && { status: "incomplete" as const }),
    })),
  ]);

const code: Arbitrary<InputItem[]> = fc.record({ source: words, logs: words, id: name }).map(({ source, logs, id }) => [
  {
    type: "code_interpreter_call",
    id: `ci_${id}`,
    status: "completed",
    container_id: "",
    code: source,
    outputs: [{ type: "logs", logs }],
  },
]);
const signedText = fc.tuple(thought("text"), said).map(([signature, items]) => [signature, ...items]);
const trailing = fc.tuple(said, thought("part")).map(([items, signature]) => [...items, signature]);

const turn: Arbitrary<InputItem[]> = fc.oneof(said, calls, code, signedText, trailing);
const conversation: Arbitrary<InputItem[]> = fc
  .tuple(user, fc.array(fc.tuple(turn, user), { maxLength: 4 }))
  .map(([first, rest]) => [...first, ...rest.flatMap(([model, next]) => [...model, ...next])]);

const schema = fc.constantFrom<Record<string, unknown>>(
  { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  { type: "object", properties: { a: { $ref: "#/$defs/A" } }, $defs: { A: { type: ["integer", "null"], minimum: 1 } } },
  { type: "object", properties: {} },
);
const tools: Arbitrary<Tool[]> = fc
  .uniqueArray(
    fc.oneof(
      fc.record({ type: fc.constant("function" as const), name, description: words, parameters: schema }),
      fc.constantFrom<Tool>(
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto" } },
        { type: "file_search", vector_store_ids: ["fileSearchStores/x"], max_num_results: 4 },
        { type: "google:urlContext" },
        { type: "mcp", server_label: "docs", server_url: "https://m.example", headers: { a: "b" }, require_approval: "never" },
      ),
    ),
    { minLength: 1, maxLength: 4, selector: (tool) => ("name" in tool ? tool.name : tool.type) },
  )
  // The wire has its functions in one place.
  .map((list) => [...list].sort((a, b) => Number(a.type === "function") - Number(b.type === "function")));

const fields: Arbitrary<CreateResponse> = fc
  .record(
    {
      instructions: words,
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      top_p: fc.double({ min: 0, max: 1, noNaN: true }),
      max_output_tokens: fc.nat(),
      seed: fc.nat(),
      presence_penalty: fc.integer({ min: -2, max: 2 }),
      frequency_penalty: fc.integer({ min: -2, max: 2 }),
      stop: fc.array(words, { minLength: 1, maxLength: 3 }),
      include: fc.constant<CreateResponse["include"]>(["message.output_text.logprobs"]),
      reasoning: fc.record(
        {
          effort: fc.constantFrom("minimal" as const, "low" as const, "medium" as const, "high" as const),
          summary: fc.constant("auto" as const),
        },
        { requiredKeys: ["effort"] },
      ),
      text: fc.oneof(
        fc.constant<CreateResponse["text"]>({ format: { type: "json_object" } }),
        fc
          .record({ name, schema })
          .map((format): CreateResponse["text"] => ({ format: { type: "json_schema", ...format, strict: true } })),
      ),
      service_tier: fc.constantFrom("default", "flex", "priority"),
      tools,
      "google:safetySettings": fc.constant([{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }]),
      "google:generationConfig": fc.constant({ topK: 3 }),
    },
    { requiredKeys: [] },
  )
  .chain((request) => {
    const functions = (request.tools ?? []).flatMap((tool) =>
      tool.type === "function" && "name" in tool ? [{ type: "function" as const, name: tool.name }] : [],
    );
    if (functions.length === 0) return fc.constant<CreateResponse>(request);
    const choices = fc.constantFrom<CreateResponse["tool_choice"]>("auto", "required", functions[0], {
      type: "allowed_tools",
      mode: "auto",
      tools: functions,
    });
    return fc
      .option(choices)
      .map((tool_choice): CreateResponse => (tool_choice === null ? request : { ...request, tool_choice }));
  });

const codec = geminiCodec();
const server = geminiServer();

describe("round trip", () => {
  test("a server reads of our request what we were asked, but for declared losses", () => {
    const property = fc.property(fields, conversation, (request, input) => {
      const ctx = ctxFor({ ...request, input });
      // The model and the method are in the URL.
      const route = geminiRoute(codec.encodeRequest(ctx).path);
      const routed = { ...server, decodeRequest: (body: unknown) => server.decodeRequest({ ...(body as object), ...route }) };
      expect(roundTripLaw(codec, routed, ctx)).toBeUndefined();
    });
    fc.assert(property, { numRuns: runs(150, 10_000) });
  });

  test("what is read and written again is the same body", () => {
    const property = fc.property(fields, conversation, (request, input) => {
      const { body } = codec.encodeRequest(ctxFor({ ...request, input }));
      const wire = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
      const again = codec.encodeRequest(ctxFor(server.decodeRequest(wire)));
      expect(JSON.parse(JSON.stringify(again.body))).toEqual(wire);
      expect(again.losses).toEqual([]);
    });
    fc.assert(property, { numRuns: runs(150, 10_000) });
  });
});

describe("mirror", () => {
  test("whatever a response holds, the server's chunks are lawful to read and tell the same text and calls", () => {
    const property = fc.property(responses, (response) => {
      const encoder = server.createEncoder({});
      const values = [...expand(response).flatMap((event) => encoder.push(event)), ...encoder.end()];
      const events = decodeValues(codec, ctxFor({}), JSON.parse(JSON.stringify(values)) as unknown[]);
      expect(lifecycleLaw(events)).toBeUndefined();
      const again = reduce(events);
      expect(again.status).toBe(response.status);
      const plain =
        response.status === "failed"
          ? undefined
          : codec.decodeResponse(ctxFor({}), JSON.parse(JSON.stringify(server.encodeResponse(response))));
      if (plain) expect(parityLaw(again, plain)).toBeUndefined();
    });
    fc.assert(property, { numRuns: runs(150, 10_000) });
  });
});
