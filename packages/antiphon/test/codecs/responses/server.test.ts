import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { responsesCodec, responsesServer } from "../../../src/codecs/responses/index.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import { expand } from "../../../src/core/expand.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../../src/model/index.ts";
import { responses } from "../../support/arbitraries.ts";
import { testCtx } from "../../support/ctx.ts";
import { runs } from "../../support/runs.ts";

const encode = (events: readonly ResponseEvent[], dialect: "openai" | "open-responses", request: CreateResponse = {}) => {
  const encoder = responsesServer(dialect).createEncoder(request);
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()] as { type: string; sequence_number: number }[];
};

const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } } as const;
const thought = { type: "reasoning", id: "rs_1", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] } as const;
const searched = (): ResponseResource => ({
  ...blankResponse("resp_1", 1, { tools: [{ type: "web_search" }] }),
  status: "completed",
  output: structuredClone([thought, search]) as unknown as ResponseResource["output"],
});
const withProgress = (): ResponseEvent[] => {
  const events = expand(searched());
  const at = events.findIndex((event) => event.type === "response.output_item.added" && event.item.type === "web_search_call");
  const progress: ResponseEvent = {
    type: "response.web_search_call.searching",
    sequence_number: 0,
    item_id: "ws_1",
    output_index: 1,
  };
  const all = events.toSpliced(at + 1, 0, progress);
  return all.map((event, index) => ({ ...event, sequence_number: index }));
};

describe("to the letter of the specification", () => {
  test("hosted tools and items carry their maker's prefix, for callers who asked for them", () => {
    const types = encode(withProgress(), "open-responses", { tools: [{ type: "web_search" }] });
    expect(types.map(({ type }) => type)).toContain("openai:web_search_call.searching");
    expect(types.at(-1)).toMatchObject({
      response: { output: [{}, { type: "openai:web_search_call" }], tools: [{ type: "openai:web_search" }] },
    });
  });

  test("events of hosted tools are left out for everybody else, without a gap in the numbers", () => {
    const sent = encode(withProgress(), "open-responses");
    expect(sent.some(({ type }) => type.includes(":"))).toBe(false);
    expect(sent.map(({ sequence_number }) => sequence_number)).toEqual(sent.map((_, index) => index));
  });

  test("events out of band stay inside", () => {
    const events: ResponseEvent[] = [{ type: "antiphon:retry", sequence_number: 0 }, ...expand(searched())];
    const sent = encode(events, "open-responses");
    expect(sent[0]).toMatchObject({ type: "response.created", sequence_number: 0 });
    expect(encode(events, "openai").map(({ type }) => type)).not.toContain("antiphon:retry");
  });

  test("nulls that the schema forbids are left out", () => {
    const item = { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [], phase: null } as const;
    const response = {
      ...blankResponse("resp_1", 1, {}),
      output: [
        { ...item, content: [] },
        { ...thought, content: null, encrypted_content: null },
      ],
    } as unknown as ResponseResource;
    const sent = responsesServer().encodeResponse(response) as ResponseResource;
    expect(sent.output).toEqual([
      { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [] },
      { type: "reasoning", id: "rs_1", summary: [] },
    ]);
  });

  test("a JSON schema is echoed as null, which is all that the schema of responses allows", () => {
    const response = blankResponse("resp_1", 1, {
      text: { format: { type: "json_schema", name: "x", schema: { type: "object" } } },
    });
    expect(responsesServer().encodeResponse(response)).toMatchObject({
      text: { format: { name: "x", schema: null, description: null, strict: false } },
    });
  });
});

describe("in OpenAI's words", () => {
  test("raw reasoning goes by its other name, hosted items stay bare, schemas are echoed", () => {
    const sent = encode(withProgress(), "openai").map(({ type }) => type);
    expect(sent).toEqual(
      expect.arrayContaining([
        "response.reasoning_text.delta",
        "response.reasoning_text.done",
        "response.web_search_call.searching",
      ]),
    );
    expect(responsesServer("openai").encodeResponse(searched())).toEqual(searched());
  });

  test("our own decoder reads it back as it was", () => {
    fc.assert(
      fc.property(responses, (response) => {
        const events = expand(response);
        const decoder = responsesCodec().createDecoder(testCtx());
        const back = encode(events, "openai").flatMap((value) => decoder.push(structuredClone(value)));
        const listed = events.map((event) =>
          event.type.startsWith("response.output_text.d") ? { logprobs: [], ...event } : event,
        );
        expect(back).toEqual(listed);
      }),
      { numRuns: runs(100, 10_000) },
    );
  });
});

test("frames name their event, in one line of data, and the stream ends in [DONE]", () => {
  const { encodeFrame, lastFrame } = responsesServer();
  expect(encodeFrame({ type: "keepalive", text: "a\nb" })).toBe(
    'event: keepalive\ndata: {"type":"keepalive","text":"a\\nb"}\n\n',
  );
  expect(lastFrame).toBe("data: [DONE]\n\n");
});

describe("the code of a failed response", () => {
  const failed = (code: string): ResponseResource => ({
    ...blankResponse("resp_1", 1, {}),
    status: "failed",
    error: { code, message: "It broke." },
  });
  const codes = [
    ["overloaded_error", "server_is_overloaded"],
    ["quota_exceeded", "insufficient_quota"],
    ["invalid_prompt", "invalid_prompt"],
    ["of_somebodys_own", "of_somebodys_own"],
  ] as const;

  test.each(codes)("%s is told as %s, plain and in a stream", (code, told) => {
    for (const dialect of ["openai", "open-responses"] as const) {
      expect(responsesServer(dialect).encodeResponse(failed(code))).toMatchObject({ error: { code: told } });
      expect(encode(expand(failed(code)), dialect).at(-1)).toMatchObject({ response: { error: { code: told } } });
    }
  });
});

test("parts of type `text` are read as text of the side that the item is on", () => {
  const content = [
    { type: "text", text: "Hi" },
    { type: "input_image", image_url: "data:," },
  ];
  const { input } = responsesServer().decodeRequest({
    input: [
      { role: "user", content },
      { type: "message", role: "assistant", content: [{ type: "text", text: "Yes", id: "a" }] },
      { type: "function_call_output", call_id: "c", output: [{ type: "text", text: "1" }] },
      { type: "reasoning", summary: [], content: [{ type: "text", text: "Hm" }] },
    ],
  });
  expect(input).toEqual([
    { role: "user", content: [{ type: "input_text", text: "Hi" }, content[1]] },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes", id: "a" }] },
    { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "1" }] },
    { type: "reasoning", summary: [], content: [{ type: "text", text: "Hm" }] },
  ]);
});
