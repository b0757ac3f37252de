import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../../src/core/error.ts";
import { assistant, developer, functionCallOutput, system, user } from "../../../src/model/index.ts";
import type { CreateResponse, InputItem } from "../../../src/model/index.ts";
import { encode, lossesOf, messagesOf, model } from "./support.ts";

const text = (words: string) => ({ type: "text", text: words });
const call = (call_id: string, name = "weather", args = "{}"): InputItem => ({
  type: "function_call",
  call_id,
  name,
  arguments: args,
});
const use = (id: string, name = "weather", input: object = {}) => ({ type: "tool_use", id, name, input });
const result = (tool_use_id: string, content: unknown) => ({ type: "tool_result", tool_use_id, content });
const said = (words: string): InputItem => assistant(words);

describe("identifiers", () => {
  test("ID1: a result answers the call's call_id, not its item id", () => {
    const messages = messagesOf([
      user("Go"),
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "weather", arguments: "{}", status: "completed" },
      functionCallOutput("call_1", "Sun"),
    ]);
    expect(messages[1]?.content).toEqual([use("call_1")]);
    expect(messages[2]?.content).toEqual([result("call_1", "Sun")]);
  });

  test("ID2: an id that the wire refuses is spelled out, the same in call and result", () => {
    const messages = messagesOf([user("Go"), call("functions.foo:0"), functionCallOutput("functions.foo:0", "Sun")]);
    const id = messages[1]?.content[0]?.["id"];
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(messages[2]?.content[0]?.["tool_use_id"]).toBe(id);
  });

  test("ID9: items without id, status or type are taken", () => {
    expect(messagesOf([{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello" }, user("Bye")])).toEqual([
      { role: "user", content: [text("Hi")] },
      { role: "assistant", content: [text("Hello")] },
      { role: "user", content: [text("Bye")] },
    ]);
  });

  test("ID10: of two results of one call the last stands", () => {
    const messages = messagesOf([user("Go"), call("a"), functionCallOutput("a", "Rain"), functionCallOutput("a", "Sun")]);
    expect(messages[2]?.content).toEqual([result("a", "Sun")]);
  });

  test("ID10: an id that a later turn uses again gets one of its own, with its own result", () => {
    const turn = (output: string) => [call("a"), functionCallOutput("a", output)];
    const messages = messagesOf([user("Go"), ...turn("Rain"), ...turn("Sun")]);
    expect(messages.slice(1).map(({ content }) => content[0])).toEqual([
      use("a"),
      result("a", "Rain"),
      use("a_2"),
      result("a_2", "Sun"),
    ]);
  });

  test("ID11: an item that only a server could look up is a declared loss", () => {
    expect(lossesOf({ input: [user("Hi"), { type: "item_reference", id: "msg_9" }] })).toEqual(["input[1]"]);
  });
});

describe("messages", () => {
  test("M1, M4: calls of one turn are one message, their results one, in the order of the calls", () => {
    const messages = messagesOf([
      user("Go"),
      call("a"),
      call("b", "clock"),
      functionCallOutput("b", "Noon"),
      functionCallOutput("a", "Sun"),
    ]);
    expect(messages.slice(1)).toEqual([
      { role: "assistant", content: [use("a"), use("b", "clock")] },
      { role: "user", content: [result("a", "Sun"), result("b", "Noon")] },
    ]);
  });

  test("M2: words before a call stand in the same message", () => {
    expect(messagesOf([user("Go"), said("Let me see."), call("a"), functionCallOutput("a", "Sun")])[1]).toEqual({
      role: "assistant",
      content: [text("Let me see."), use("a")],
    });
  });

  test("M3: words between a call and its result do not part them", () => {
    const messages = messagesOf([user("Go"), call("a"), said("One moment."), functionCallOutput("a", "Sun")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[2]?.content).toEqual([result("a", "Sun")]);
  });

  test("M5: results come first in the user's message, its words after them", () => {
    const messages = messagesOf([user("Go"), call("a"), functionCallOutput("a", "Sun"), user("And tomorrow?")]);
    expect(messages[2]).toEqual({ role: "user", content: [result("a", "Sun"), text("And tomorrow?")] });
  });

  test("M6: messages of one side in a row are one, and the first is a user's", () => {
    expect(messagesOf([user("A"), user("B")])).toEqual([{ role: "user", content: [text("A"), text("B")] }]);
    const { body, losses } = encode({ input: [said("Hello"), user("Hi")] });
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(losses.map(({ path }) => path)).toEqual(["input"]);
  });

  test("M6: a model that goes on from its own words gets them last, another is asked to go on", () => {
    const input = [user("Rhyme."), said("Roses are")];
    expect(encode({ input }).body.messages.at(-1)).toEqual({ role: "assistant", content: [text("Roses are")] });
    const newer = encode({ model: "claude-opus-4-8", input });
    expect(newer.body.messages.at(-1)).toEqual({ role: "user", content: [text("Continue.")] });
    expect(newer.losses).toHaveLength(1);
  });

  test("M7: words of the system alone become the user's", () => {
    const { body, losses } = encode({ input: [developer("Be brief.")] });
    expect(body.system).toBeUndefined();
    expect(body.messages).toEqual([{ role: "user", content: [text("Be brief.")] }]);
    expect(losses.map(({ path }) => path)).toEqual(["input"]);
  });

  test("M8: empty words make no block", () => {
    const messages = messagesOf([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Hi" },
          { type: "input_text", text: "  " },
        ],
      },
      said(""),
      said(" \n"),
      user("Still there?"),
    ]);
    expect(messages).toEqual([{ role: "user", content: [text("Hi"), text("Still there?")] }]);
  });

  test("M9: white space at the end of the assistant's last words is taken off, and declared", () => {
    const { body, losses } = encode({ input: [user("Rhyme."), said("Roses are \n")] });
    expect(body.messages.at(-1)?.content).toEqual([text("Roses are")]);
    expect(losses).toHaveLength(1);
  });

  test("M10: a result without a call is refused, a call without a result gets a stand-in", () => {
    expect(() => encode({ input: [user("Go"), functionCallOutput("a", "Sun")] })).toThrow(AntiphonError);
    const { body, losses } = encode({ input: [user("Go"), call("a"), user("Never mind.")] });
    expect(body.messages[2]?.content[0]).toMatchObject({ type: "tool_result", tool_use_id: "a", is_error: true });
    expect(losses).toHaveLength(1);
  });

  test("M12, M13: words of any form are text", () => {
    const refused: InputItem = { type: "message", role: "assistant", content: [{ type: "refusal", refusal: "I won't." }] };
    const parts: InputItem = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] };
    const { body, losses } = encode({ input: [user("Hi"), refused, parts, user("Why?")] });
    expect(body.messages[1]?.content).toEqual([text("I won't."), text("Yes.")]);
    expect(losses.map(({ path }) => path)).toEqual(["input"]);
  });

  test("M14: an item that nobody knows is a declared loss", () => {
    expect(lossesOf({ input: [user("Hi"), { type: "acme:note", id: "n", body: "?" }] })).toEqual(["input[1]"]);
  });

  test("M15: a server-side call of another provider is a declared loss, the wire's own goes back as it came", () => {
    const foreign: InputItem = {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "x" },
    };
    expect(lossesOf({ input: [user("Hi"), foreign] })).toEqual(["input[1]"]);
    const blocks = [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_1",
        content: [{ type: "web_search_result", encrypted_content: "E" }],
      },
    ];
    const own = { ...foreign, "anthropic:blocks": blocks } as InputItem;
    const { body, losses } = encode({ input: [user("Hi"), own, said("Found."), user("More?")] });
    expect(body.messages[1]?.content).toEqual([...blocks, text("Found.")]);
    expect(losses).toEqual([]);
  });

  test("M16: the caller's request is not changed", () => {
    const request: CreateResponse = {
      model,
      instructions: "Be brief.",
      input: [user("Go"), call("a"), functionCallOutput("a", "Sun"), user("And?")],
      tools: [{ type: "function", name: "weather", parameters: { type: "object", properties: {} } }],
      reasoning: { effort: "high" },
      prompt_cache_key: "k",
    };
    const before = structuredClone(request);
    encode(request, { caching: "breakpoints" });
    expect(request).toEqual(before);
  });

  test("a result of code stands after the calls that the code made", () => {
    const caller = { type: "code_execution_20260120", tool_id: "srv_1" };
    const code = { type: "server_tool_use", id: "srv_1", name: "code_execution", input: { code: "f()" } };
    const ran = { type: "code_execution_tool_result", tool_use_id: "srv_1", content: {} };
    const inner = { type: "server_tool_use", id: "srv_2", name: "web_fetch", input: {}, caller };
    const got = { type: "web_fetch_tool_result", tool_use_id: "srv_2", content: {}, caller };
    const messages = messagesOf([user("Go"), hosted("srv_1", [code, ran]), hosted("srv_2", [inner, got]), user("So?")]);
    expect(messages[1]?.content).toEqual([code, inner, got, ran]);
  });

  test("a server-side call without a result is left out, unless it is still to be answered", () => {
    const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } };
    const paused = [user("Go"), said("Let me see."), hosted("srv_1", [search])];
    expect(encode({ input: paused }).body.messages.at(-1)?.content).toEqual([text("Let me see."), search]);
    expect(lossesOf({ input: paused })).toEqual([]);
    const left = encode({ input: [...paused, user("Never mind.")] });
    expect(left.body.messages[1]?.content).toEqual([text("Let me see.")]);
    expect(left.losses).toHaveLength(1);
    const caller = { type: "code_execution_20250825", tool_id: "srv_1" };
    const waiting = { ...call("a"), "anthropic:caller": caller } as InputItem;
    const running = [user("Go"), hosted("srv_1", [search]), waiting, functionCallOutput("a", "Sun")];
    expect(messagesOf(running)[1]?.content).toEqual([search, { ...use("a"), caller }]);
  });
});

const hosted = (id: string, blocks: object[]): InputItem =>
  ({ type: "code_interpreter_call", id, "anthropic:blocks": blocks }) as unknown as InputItem;

describe("the system's words", () => {
  test("S1, S2: instructions and leading messages are blocks at the top, in order", () => {
    const { body } = encode({ instructions: "One.", input: [system("Two."), developer("Three."), user("Hi")] });
    expect(body.system).toEqual([text("One."), text("Two."), text("Three.")]);
    expect(body.messages).toEqual([{ role: "user", content: [text("Hi")] }]);
  });

  test("S2: a mark of the caller's stays on its block", () => {
    const mark = { type: "ephemeral", ttl: "1h" };
    const marked = { type: "input_text" as const, text: "Long.", "anthropic:cache_control": mark };
    const { body } = encode({ input: [{ role: "system", content: [marked] }, user("Hi")] });
    expect(body.system).toEqual([{ ...text("Long."), cache_control: mark }]);
  });

  test("S3: later ones stay in their place as reminders, with a declared loss", () => {
    const { body, losses } = encode({ input: [user("Hi"), said("Hello"), developer("Speak French."), user("Go on")] });
    expect(body.messages.at(-1)?.content).toEqual([text("<system-reminder>\nSpeak French.\n</system-reminder>"), text("Go on")]);
    expect(losses.map(({ path }) => path)).toEqual(["input[2]"]);
  });

  test("S3: a model that takes them gets them as they are, where it takes them", () => {
    const { body, losses } = encode({ model: "claude-opus-4-8", input: [user("Hi"), developer("Speak French.")] });
    expect(body.messages).toEqual([
      { role: "user", content: [text("Hi")] },
      { role: "system", content: [text("Speak French.")] },
    ]);
    expect(losses).toEqual([]);
    expect(lossesOf({ model: "claude-opus-4-8", input: [user("Hi"), said("Yes"), developer("X"), user("Y")] })).toEqual([
      "input[2]",
    ]);
  });

  test("S2: what the wire cannot take before them does not hide them", () => {
    const { body } = encode({ input: [{ type: "item_reference", id: "x" }, system("Be brief."), user("Hi")] });
    expect(body.system).toEqual([text("Be brief.")]);
  });

  test("S6: empty instructions make no block", () => {
    expect(encode({ instructions: "", input: "Hi" }).body.system).toBeUndefined();
  });
});

describe("media", () => {
  const png = "iVBORw0KGgoAAAANSUhEUg";
  const blocks = (content: unknown) =>
    messagesOf([{ type: "message", role: "user", content } as unknown as InputItem])[0]?.content;

  test("F1: images by URL, by bytes and by id", () => {
    expect(
      blocks([
        { type: "input_image", image_url: "https://example.com/a.png" },
        { type: "input_image", image_url: `data:image/png;base64,${png}` },
        { type: "input_image", file_id: "file_1" },
      ]),
    ).toEqual([
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
      { type: "image", source: { type: "file", file_id: "file_1" } },
    ]);
  });

  test("F1: bytes are called what they are, and a PDF is a document", () => {
    expect(blocks([{ type: "input_image", image_url: `data:image/jpg;base64,${png}` }])).toMatchObject([
      { source: { media_type: "image/png" } },
    ]);
    expect(blocks([{ type: "input_image", image_url: "data:image/jpg;base64,AAAA" }])).toMatchObject([
      { source: { media_type: "image/jpeg" } },
    ]);
    expect(blocks([{ type: "input_image", image_url: "data:application/pdf;base64,JVBERi0x" }])).toMatchObject([
      { type: "document", source: { type: "base64", media_type: "application/pdf" } },
    ]);
  });

  test("F1: a detail is a declared loss, unless it is left to the model", () => {
    const image = (detail: "low" | "auto"): CreateResponse => ({
      input: [user([{ type: "input_image", image_url: "https://example.com/a.png", detail }])],
    });
    expect(lossesOf(image("low"))).toEqual(["input[0].content[0].detail"]);
    expect(lossesOf(image("auto"))).toEqual([]);
  });

  test("F1: a server that fetches nothing gets no URL", () => {
    const input = [
      user([
        { type: "input_text", text: "See" },
        { type: "input_image", image_url: "https://example.com/a.png" },
      ]),
    ];
    expect(lossesOf({ input }, { urlSources: false })).toEqual(["input[0].content[1]"]);
  });

  test("F2: documents by bytes, text, URL and id, under their names", () => {
    expect(
      blocks([
        { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
        { type: "input_file", filename: "a.txt", file_data: `data:text/plain;base64,${btoa("Hällo".normalize())}` },
        { type: "input_file", file_url: "https://example.com/a.pdf" },
        { type: "input_file", file_id: "file_1", "anthropic:citations": { enabled: true } },
      ]),
    ).toMatchObject([
      { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" } },
      { type: "document", title: "a.txt", source: { type: "text", media_type: "text/plain" } },
      { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
      { type: "document", source: { type: "file", file_id: "file_1" }, citations: { enabled: true } },
    ]);
  });

  test("F2, F3: kinds that the wire does not take are declared losses", () => {
    const parts = [
      { type: "input_text" as const, text: "Listen" },
      { type: "input_audio" as const, input_audio: { data: "AAAA", format: "wav" } },
      { type: "input_video" as const, video_url: "https://example.com/v.mp4" },
      { type: "input_file" as const, file_data: "data:application/zip;base64,AAAA" },
    ];
    expect(lossesOf({ input: [user(parts)] })).toEqual([1, 2, 3].map((index) => `input[0].content[${index}]`));
  });

  test("T9: images and documents may stand in a result", () => {
    const output = [
      { type: "input_text" as const, text: "Look:" },
      { type: "input_image" as const, image_url: `data:image/png;base64,${png}` },
      { type: "input_file" as const, file_data: "data:application/pdf;base64,JVBERi0x" },
    ];
    const blocksOut = messagesOf([user("Go"), call("a"), functionCallOutput("a", output)])[2]?.content[0];
    expect(blocksOut).toMatchObject({
      type: "tool_result",
      content: [{ type: "text" }, { type: "image" }, { type: "document" }],
    });
  });

  test("a part of the wire's own making goes out as it is", () => {
    const found = { type: "anthropic:search_result", source: "wiki", title: "T", content: [{ type: "text", text: "…" }] };
    expect(blocks([found])).toEqual([{ ...found, type: "search_result" }]);
  });
});

test("history of five hundred items is encoded in the order of its items", () => {
  const input = Array.from({ length: 100 }, (_, turn) => [
    user(`Question ${turn}`),
    call(`a${turn}`),
    call(`b${turn}`),
    functionCallOutput(`a${turn}`, "1"),
    functionCallOutput(`b${turn}`, "2"),
  ]).flat();
  const messages = messagesOf(input);
  expect(messages).toHaveLength(201);
  expect(messages.at(-1)?.content).toEqual([result("a99", "1"), result("b99", "2")]);
});
