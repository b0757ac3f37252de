import { describe, expect, test } from "vitest";
import { bare, calls, chunk, decode, respond } from "./support.ts";

const end = chunk({}, "tool_calls");
const output = (...values: object[]) => bare(respond([...values, end]).output);
const call = (call_id: string, name: string, args: string) => ({ type: "function_call", call_id, name, arguments: args });

describe("V4: deltas of tool calls", () => {
  test("name first, arguments in pieces", () => {
    const values = [
      calls({ index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }),
      calls({ index: 0, function: { arguments: '{"x"' } }),
      calls({ index: 0, function: { arguments: ":1}" } }),
    ];
    expect(output(...values)).toEqual([call("a", "f", '{"x":1}')]);
    expect(
      decode([...values, end]).flatMap((event) => (event.type === "response.function_call_arguments.delta" ? [event.delta] : [])),
    ).toEqual(['{"x"', ":1}"]);
  });

  test("an empty free-form call beside a function is ignored", () => {
    const custom = { name: "", input: "" };
    const whole = { index: 0, id: "a", type: "function", custom, function: { name: "f", arguments: '{"x":1}' } };
    expect(output(calls(whole))).toEqual([call("a", "f", '{"x":1}')]);
  });

  test("interleaved by index", () => {
    expect(
      output(
        calls(
          { index: 0, id: "a", function: { name: "f", arguments: "{" } },
          { index: 1, id: "b", function: { name: "g", arguments: "[" } },
        ),
        calls({ index: 1, function: { arguments: "]" } }, { index: 0, function: { arguments: "}" } }),
      ),
    ).toEqual([call("a", "f", "{}"), call("b", "g", "[]")]);
  });

  test("id, type and name repeated in every piece", () => {
    const piece = (args: string) => calls({ index: 0, id: "a", type: "function", function: { name: "f", arguments: args } });
    expect(output(piece('{"x"'), piece(":1"), piece("}"))).toEqual([call("a", "f", '{"x":1}')]);
  });

  test("later pieces with an empty or a changed id", () => {
    expect(
      output(
        calls({ index: 0, id: "a", function: { name: "f", arguments: "{" } }),
        calls({ index: 0, id: "", function: { name: "", arguments: '"x":' } }),
        calls({ index: 0, id: "other", function: { arguments: "1}" } }),
      ),
    ).toEqual([call("a", "f", '{"x":1}')]);
  });

  test("whole calls, all under index 0", () => {
    const whole = (id: string, name: string) => calls({ index: 0, id, function: { name, arguments: "{}" } });
    expect(output(whole("a", "f"), whole("b", "f"), whole("c", "g"))).toEqual([
      call("a", "f", "{}"),
      call("b", "f", "{}"),
      call("c", "g", "{}"),
    ]);
  });

  test("without an index: by id, else by order", () => {
    expect(
      output(
        calls({ id: "a", function: { name: "f", arguments: "{" } }),
        calls({ id: "b", function: { name: "g", arguments: "[" } }),
        calls({ id: "a", function: { arguments: "}" } }),
        calls({ function: { arguments: "" } }),
        calls({ id: "b", function: { arguments: "]" } }),
      ),
    ).toEqual([call("a", "f", "{}"), call("b", "g", "[]")]);
  });

  test("without index and id: a whole call and a new name each begin another", () => {
    const piece = (name: string | undefined, args: string) => calls({ function: { ...(name && { name }), arguments: args } });
    const items = output(piece("f", '{"x":'), piece(undefined, "1}"), piece("f", "{}"), piece("g", "{}")) as {
      call_id: string;
    }[];
    expect(items).toMatchObject([{ name: "f", arguments: '{"x":1}' }, { name: "f", arguments: "{}" }, { name: "g" }]);
    expect(new Set(items.map(({ call_id }) => call_id)).size).toBe(3);
  });

  test("without an id gets one of ours", () => {
    expect(output(calls({ index: 0, function: { name: "f", arguments: "{}" } }))).toMatchObject([
      { call_id: expect.stringMatching(/^call_/) },
    ]);
  });

  test("ID10: an id used twice for two calls is given to the first alone", () => {
    const items = output(
      calls({ index: 0, id: "a", function: { name: "f", arguments: "{}" } }),
      calls({ index: 1, id: "a", function: { name: "g", arguments: "{}" } }),
    ) as { call_id: string }[];
    expect(items[0]?.call_id).toBe("a");
    expect(items[1]?.call_id).not.toBe("a");
  });

  test("arguments before the name wait for it", () => {
    expect(
      output(
        calls({ index: 0, id: "a", function: { arguments: '{"x"' } }),
        calls({ index: 0, function: { name: "f", arguments: ":1}" } }),
      ),
    ).toEqual([call("a", "f", '{"x":1}')]);
    expect(output(calls({ index: 0, id: "a", function: { arguments: "{}" } }))).toEqual([call("a", "", "{}")]);
  });

  test("arguments as an object become text", () => {
    expect(output(calls({ index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }))).toEqual([
      call("a", "f", '{"x":1}'),
    ]);
  });

  test("T11: no arguments at all are an empty object, but not where the call was cut off", () => {
    const begun = calls({ index: 0, id: "a", function: { name: "f", arguments: "" } });
    expect(output(begun)).toEqual([call("a", "f", "{}")]);
    expect(respond([begun, chunk({}, "length")]).output).toMatchObject([{ arguments: "", status: "incomplete" }]);
    expect(respond([begun]).output).toMatchObject([{ arguments: "", status: "incomplete" }]);
  });

  test("a function_call of the old kind is a call too", () => {
    expect(
      output(chunk({ function_call: { name: "f", arguments: "" } }), chunk({ function_call: { arguments: "{}" } })),
    ).toMatchObject([{ type: "function_call", name: "f", arguments: "{}" }]);
    expect(output(chunk({ content: "Hi", function_call: { name: "", arguments: "" } }))).toMatchObject([{ type: "message" }]);
  });
});

describe("V14: sources", () => {
  const stop = chunk({}, "stop");

  test("annotations of the wire are citations", () => {
    const url_citation = { url: "https://a.example", title: "A", start_index: 0, end_index: 2, content: "…" };
    const values = [chunk({ content: "Hi" }), chunk({ annotations: [{ type: "url_citation", url_citation }] }), stop];
    expect(respond(values).output).toMatchObject([{ content: [{ annotations: [{ type: "url_citation", ...url_citation }] }] }]);
    expect(decode(values).map(({ type }) => type)).toContain("response.output_text.annotation.added");
  });

  test("pages beside the answer are a web search, cited by the marks in the text", () => {
    const more = {
      citations: ["https://a.example", "https://b.example"],
      search_results: [
        { url: "https://a.example", title: "A" },
        { url: "https://b.example", title: "B" },
      ],
    };
    const values = [chunk({ content: "It rains [2" }, null, more), chunk({ content: "][9]." }, "stop", more)];
    expect(respond(values).output).toMatchObject([
      {
        type: "web_search_call",
        status: "completed",
        action: {
          type: "search",
          sources: [
            { type: "url", title: "A" },
            { type: "url", title: "B" },
          ],
        },
      },
      {
        content: [
          {
            text: "It rains [2][9].",
            annotations: [{ type: "url_citation", url: "https://b.example", title: "B", start_index: 9, end_index: 12 }],
          },
        ],
      },
    ]);
  });
});

describe("F4: pictures and speech", () => {
  test("a picture is a generated image", () => {
    const images = [{ type: "image_url", image_url: { url: "data:image/webp;base64,UklGRg==" } }];
    expect(bare(respond([chunk({ content: "Here:" }), chunk({ images }), chunk({}, "stop")]).output)).toMatchObject([
      { type: "message" },
      { type: "image_generation_call", result: "UklGRg==", output_format: "webp" },
    ]);
  });

  test("speech is an item, put together from its pieces, and its transcript is the text", () => {
    const piece = (audio: object) => chunk({ audio });
    const values = [
      piece({ id: "audio_1", transcript: "Hel" }),
      piece({ data: "QQ==", transcript: "lo" }),
      piece({ data: "QkM=", expires_at: 9 }),
      chunk({}, "stop"),
    ];
    expect(respond(values).output).toMatchObject([
      { type: "openai:audio", id: "audio_1", status: "completed", data: "QUJD", expires_at: 9 },
      { type: "message", content: [{ text: "Hello" }] },
    ]);
  });
});
