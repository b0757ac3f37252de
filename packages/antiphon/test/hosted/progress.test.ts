import { describe, expect, test } from "vitest";
import { createProgress, keepMetadata, stripMetadata } from "../../src/hosted/progress.ts";
import { expand } from "../../src/core/expand.ts";
import { collect } from "../../src/core/collect.ts";
import type { Item, ResponseEvent } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";

const at = { item_id: "ci_1", output_index: 0 };
const code = (delta: string, sequence_number = 0): ResponseEvent => ({
  type: "response.code_interpreter_call_code.delta",
  sequence_number,
  ...at,
  delta,
  obfuscation: "xyz",
});
const call: Item = {
  type: "code_interpreter_call",
  id: "ci_1",
  status: "completed",
  code: "print(1)",
  container_id: "cntr_1",
  outputs: [{ type: "logs", logs: "1" }],
};
const done = (item: Item, output_index = 0): ResponseEvent => ({
  type: "response.output_item.done",
  sequence_number: 9,
  output_index,
  item,
});

function follow(events: readonly ResponseEvent[], options = {}) {
  const progress = createProgress(options);
  const live = events.map((event) => progress.push(event));
  return { live, final: progress.metadata };
}

describe("progress", () => {
  test("is nothing for a stream without server-side tools", async () => {
    const progress = createProgress();
    const respond = scripted(["Hello, world", [{ type: "function_call", call_id: "c", name: "f", arguments: "{}" }]]);
    for await (const event of respond({ input: "Hi" })) expect(progress.push(event)).toBeUndefined();
    for await (const event of respond({ input: "Hi" })) expect(progress.push(event)).toBeUndefined();
    expect(progress.metadata).toEqual({});
  });

  test("streams code piece by piece and keeps it once, whole", () => {
    const whole: ResponseEvent = {
      type: "response.code_interpreter_call_code.done",
      sequence_number: 3,
      ...at,
      code: "print(1)",
    };
    const events = [code("print", 1), code("(1)", 2), whole, done(call)];
    const { live, final } = follow(events);
    const summary = {
      type: "code_interpreter_call",
      item_id: "ci_1",
      output_index: 0,
      status: "completed",
      code: "print(1)",
      results: [{ type: "logs", logs: "1" }],
      container_id: "cntr_1",
    };
    expect(live).toEqual([
      { code_interpreter: [events[0]] },
      { code_interpreter: [events[1]] },
      undefined,
      { code_interpreter: [summary] },
    ]);
    expect(final).toEqual({
      code_interpreter: [
        { type: "response.code_interpreter_call_code.delta", sequence_number: 1, ...at, delta: "print(1)" },
        summary,
      ],
    });
  });

  test("tells a text that came whole as it came", () => {
    const whole: ResponseEvent = {
      type: "response.code_interpreter_call_code.done",
      sequence_number: 1,
      ...at,
      code: "print(1)",
    };
    expect(follow([whole]).live).toEqual([{ code_interpreter: [whole] }]);
    expect(follow([{ ...whole, code: "" }]).live).toEqual([undefined]);
  });

  test("keeps the two streams of each of a shell's commands apart", () => {
    const output = (command_index: number, delta: { stdout?: string; stderr?: string }): ResponseEvent => ({
      type: "response.shell_call_output_content.delta",
      sequence_number: 0,
      output_index: 1,
      command_index,
      delta,
    });
    const { final } = follow([output(0, { stdout: "a" }), output(1, { stdout: "x" }), output(0, { stdout: "b", stderr: "!" })]);
    expect(final["shell"]?.map(({ delta }) => delta)).toEqual([{ stdout: "ab", stderr: "!" }, { stdout: "x" }]);
  });

  test("gives lists that later events leave as they are", () => {
    const progress = createProgress();
    progress.push(code("a"));
    const before = progress.metadata;
    progress.push(code("b"));
    expect([before["code_interpreter"]?.[0]?.["delta"], progress.metadata["code_interpreter"]?.[0]?.["delta"]]).toEqual([
      "a",
      "ab",
    ]);
  });

  test("shows previews whole while they come, and keeps only that there was one where it is large", () => {
    const preview: ResponseEvent = {
      type: "response.image_generation_call.partial_image",
      sequence_number: 1,
      item_id: "ig_1",
      output_index: 0,
      partial_image_index: 0,
      partial_image_b64: "A".repeat(400),
    };
    const { live, final } = follow([preview], { maxText: 200 });
    expect(live[0]?.["image_generation"]?.[0]).toBe(preview);
    expect(final["image_generation"]).toEqual([{ ...preview, partial_image_b64: "", cut: ["partial_image_b64"] }]);
  });

  test("leaves the finished picture out: it is content", () => {
    const item: Item = {
      type: "image_generation_call",
      id: "ig_1",
      status: "completed",
      result: "AAAA",
      revised_prompt: "A cat",
      size: "1024x1024",
    };
    expect(follow([done(item)]).final["image_generation"]).toEqual([
      {
        type: "image_generation_call",
        item_id: "ig_1",
        output_index: 0,
        status: "completed",
        revised_prompt: "A cat",
        size: "1024x1024",
      },
    ]);
  });

  test("cuts long texts where they are kept, and marks where", () => {
    const item: Item = {
      type: "file_search_call",
      id: "fs_1",
      status: "completed",
      queries: ["q"],
      results: [{ text: "x".repeat(200), filename: "a.md" }, {}],
    };
    const { live, final } = follow([done(item), code("1".repeat(70)), code("2".repeat(70))], { maxText: 100 });
    expect(live[0]?.["file_search"]?.[0]).not.toHaveProperty("cut");
    const [search] = final["file_search"] ?? [];
    expect(search).toMatchObject({
      type: "file_search_call",
      queries: ["q"],
      cut: ["results[0].text", "results[0].filename", "results[1]"],
    });
    expect(JSON.stringify(search).length).toBeLessThan(300);
    expect(final["code_interpreter"]?.[0]).toMatchObject({ delta: "1".repeat(70) + "2".repeat(30), cut: ["delta"] });
  });

  test("keeps so many events, and says how many came after", () => {
    const step = (sequence_number: number): ResponseEvent => ({
      type: "response.web_search_call.searching",
      sequence_number,
      item_id: "ws_1",
      output_index: 0,
    });
    const { live, final } = follow([step(1), step(2), step(3), step(4)], { maxEvents: 2 });
    expect(live.every(Boolean)).toBe(true);
    expect(final["web_search"]).toEqual([step(1), step(2), { type: "antiphon:cut", events: 2 }]);
  });

  test("is JSON, whatever a model of somebody's own puts into its items", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const odd = { when: new Date(0), skip: undefined, call: () => 1, nan: Number.NaN, list: [undefined, 1n], loop };
    const item = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", odd } } as unknown as Item;
    const { final } = follow([done(item)]);
    expect(JSON.parse(JSON.stringify(final))).toEqual(final);
    expect(final["web_search"]).toMatchObject([{ action: { odd: { nan: null, list: [null, null] } } }]);
  });

  test("keeps what has the name of something that every object has", () => {
    const action = JSON.parse('{"type":"search","__proto__":{"query":"x"}}');
    const { final } = follow([done({ type: "web_search_call", id: "ws_1", status: "completed", action } as unknown as Item)]);
    expect(JSON.stringify(final["web_search"]?.[0]?.["action"])).toBe(JSON.stringify(action));
  });

  test("is the same for a plain answer, less the stages", async () => {
    const response = await collect(scripted([[call]])({ input: "Run it." }));
    const { final } = follow(expand(response));
    expect(final["code_interpreter"]?.map(({ type }) => type)).toEqual([
      "response.code_interpreter_call_code.delta",
      "code_interpreter_call",
    ]);
  });
});

test("metadata is stripped or kept by tool", () => {
  const metadata = { web_search: [{ type: "a" }], mcp: [{ type: "b" }] };
  expect(stripMetadata(metadata)).toEqual({});
  expect(stripMetadata(metadata, "mcp")).toEqual({ web_search: [{ type: "a" }] });
  expect(keepMetadata(metadata, "mcp", "shell")).toEqual({ mcp: [{ type: "b" }] });
});
