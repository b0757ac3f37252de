import { describe, expect, test } from "vitest";
import { openaiDialect } from "../../../src/codecs/chat/index.ts";
import { assistant, developer, functionCallOutput, system, user, type InputItem } from "../../../src/model/index.ts";
import { encode, messagesOf } from "./support.ts";

const call = (call_id: string, args = "{}"): InputItem => ({ type: "function_call", call_id, name: "weather", arguments: args });
const wireCall = (id: string, args = "{}") => ({ id, type: "function", function: { name: "weather", arguments: args } });
const result = (tool_call_id: string, content: string) => ({ role: "tool", tool_call_id, content });

describe("messages from items", () => {
  test("M13: a string, messages without a type and content as a list all become plain text", () => {
    expect(messagesOf("Hi")).toEqual([{ role: "user", content: "Hi" }]);
    expect(
      messagesOf([
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
      ]),
    ).toEqual([
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ]);
    expect(messagesOf([{ role: "user", content: [{ type: "input_text", text: "Hi" }] }])).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });

  test("M1, M2, M4: text and calls of one turn are one message, and results follow in the order of the calls", () => {
    const input = [
      user("?"),
      assistant("Let me see."),
      call("a"),
      call("b"),
      functionCallOutput("b", "2"),
      functionCallOutput("a", "1"),
    ];
    expect(messagesOf(input)).toEqual([
      { role: "user", content: "?" },
      { role: "assistant", content: "Let me see.", tool_calls: [wireCall("a"), wireCall("b")] },
      result("a", "1"),
      result("b", "2"),
    ]);
  });

  test("M3: a message between a call and its result moves into the calling message", () => {
    expect(messagesOf([call("a"), assistant("Wait."), functionCallOutput("a", "1")])).toEqual([
      { role: "assistant", content: "Wait.", tool_calls: [wireCall("a")] },
      result("a", "1"),
    ]);
  });

  test("M8: empty text is left out, and a message of nothing else too", () => {
    expect(messagesOf([user(""), assistant(""), user([{ type: "input_text", text: "" }]), user("Hi")])).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });

  test("M10: a result without a call is refused, and a call without a result gets a stand-in that is declared", () => {
    expect(() => encode({ input: [functionCallOutput("x", "1")] })).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST", param: "input[0]" }),
    );
    const { body, lost } = encode({ input: [call("a")] });
    expect(body.messages[1]).toEqual(result("a", "No result: the call was interrupted."));
    expect(lost).toEqual(["input"]);
  });

  test("M11: parts of text are joined without anything between them", () => {
    const parts = ["Hel", "lo"].map((text) => ({ type: "input_text" as const, text }));
    expect(messagesOf([user(parts)])).toEqual([{ role: "user", content: "Hello" }]);
    const said = ["Good ", "day"].map((text) => ({ type: "output_text" as const, text, annotations: [] }));
    expect(messagesOf([{ role: "assistant", content: said }])).toEqual([{ role: "assistant", content: "Good day" }]);
  });

  test("M12: a refusal is told as one where the server knows them, as text with a loss elsewhere", () => {
    const input: InputItem[] = [{ role: "assistant", content: [{ type: "refusal", refusal: "No." }] }];
    expect(messagesOf(input, openaiDialect)).toEqual([{ role: "assistant", content: null, refusal: "No." }]);
    const { body, lost } = encode({ input });
    expect(body.messages).toEqual([{ role: "assistant", content: "No." }]);
    expect(lost).toEqual(["input"]);
  });

  test("M14, M15: items of server-side tools and of unknown makers are left out and declared", () => {
    const { body, lost } = encode({
      input: [
        user("?"),
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "acme:note", id: "n_1", text: "?" },
        { type: "item_reference", id: "msg_1" },
        assistant("So."),
      ],
    });
    expect(body.messages).toEqual([
      { role: "user", content: "?" },
      { role: "assistant", content: "So." },
    ]);
    expect(lost).toEqual(["input[3]", "input[1]", "input[2]"]);
  });

  test("M16: the caller's request is not changed", () => {
    const request = Object.freeze({
      model: "m",
      input: Object.freeze([Object.freeze(user("Hi")), Object.freeze(call("a"))]) as never,
    });
    const before = JSON.stringify(request);
    encode(request, openaiDialect);
    expect(JSON.stringify(request)).toBe(before);
  });

  test("M7: a conversation of system messages alone stays one; the wire takes it", () => {
    expect(messagesOf([system("Say hi.")])).toEqual([{ role: "system", content: "Say hi." }]);
  });
});

describe("ids of calls", () => {
  test("ID1, ID9: results are matched by call_id, and items need no id of their own", () => {
    const input: InputItem[] = [{ ...call("call_1"), id: "fc_9" }, functionCallOutput("call_1", "1")];
    expect(messagesOf(input)).toEqual([
      { role: "assistant", content: null, tool_calls: [wireCall("call_1")] },
      result("call_1", "1"),
    ]);
  });

  test("ID2: ids in a vendor's own style reach it unchanged", () => {
    const [message] = messagesOf([call("functions.weather:0"), functionCallOutput("functions.weather:0", "1")]);
    expect(message).toMatchObject({ tool_calls: [{ id: "functions.weather:0" }] });
  });

  test("ID3: an id that the server does not take gets a stand-in, the same for call and result", () => {
    const long = "call_".padEnd(80, "x");
    const other = "call_".padEnd(80, "y");
    const callIds = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 };
    const input = [call(long), call(other), functionCallOutput(long, "1"), functionCallOutput(other, "2")];
    const [message, first, second] = messagesOf(input, { callIds });
    const ids = (message as { tool_calls: { id: string }[] }).tool_calls.map(({ id }) => id);
    expect(ids).toEqual([expect.stringMatching(callIds.pattern), expect.stringMatching(callIds.pattern)]);
    expect(new Set(ids).size).toBe(2);
    expect([first?.["tool_call_id"], second?.["tool_call_id"]]).toEqual(ids);
    expect(messagesOf(input, { callIds })).toEqual(messagesOf(input, { callIds }));
    expect(messagesOf(input)[1]?.["tool_call_id"]).toHaveLength(24);
  });

  test("ID10: the last of several results stands, and an id used again in a later turn has its own result", () => {
    const input = [
      call("a"),
      functionCallOutput("a", "old"),
      functionCallOutput("a", "new"),
      user("Again"),
      call("a"),
      functionCallOutput("a", "later"),
    ];
    expect(messagesOf(input).filter(({ role }) => role === "tool")).toEqual([result("a", "new"), result("a", "later")]);
  });
});

describe("system messages", () => {
  test("S1: instructions come first, roles and places stay", () => {
    const { body, lost } = encode(
      { instructions: "Be brief.", input: [developer("In French."), user("Hi"), system("Now in German.")] },
      openaiDialect,
    );
    expect(body.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "developer", content: "In French." },
      { role: "user", content: "Hi" },
      { role: "system", content: "Now in German." },
    ]);
    expect(lost).toEqual([]);
  });

  test("S1: a developer message is never dropped: without that role it is a system message, and declared", () => {
    const { body, lost } = encode({ input: [developer("In French."), user("Hi")] });
    expect(body.messages[0]).toEqual({ role: "system", content: "In French." });
    expect(lost).toEqual(["input[0].role"]);
  });

  test("S3, S5: where only one may stand at the head, those there are joined and later ones are marked in place", () => {
    const { body, lost } = encode(
      { instructions: "A.", input: [system("B."), developer("C."), user("Hi"), system("D.")] },
      { systemMessages: "leading" },
    );
    expect(body.messages).toEqual([
      { role: "system", content: "A.\n\nB.\n\nC." },
      { role: "user", content: "Hi" },
      { role: "user", content: "<system-reminder>\nD.\n</system-reminder>" },
    ]);
    expect(lost).toEqual(["input[3]"]);
  });

  test("S6: empty instructions make no message", () => {
    expect(encode({ instructions: "", input: [system(""), user("Hi")] }).body.messages).toEqual([
      { role: "user", content: "Hi" },
    ]);
  });
});

describe("pictures, sound and files", () => {
  const png = "data:image/png;base64,iVBORw0KGgo=";

  test("F1: images go by URL or bytes with their detail; by file id they are lost", () => {
    const { body, lost } = encode({
      input: [
        user([
          { type: "input_text", text: "What is it?" },
          { type: "input_image", image_url: png, detail: "low" },
          { type: "input_image", file_id: "file_1" },
          { type: "input_image", image_url: png, detail: "original" },
        ]),
      ],
    });
    expect(body.messages[0]?.["content"]).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: png, detail: "low" } },
      { type: "image_url", image_url: { url: png } },
    ]);
    expect(lost).toEqual(["input[0].content[2]", "input[0].content[3].detail"]);
  });

  test("F2: files go by bytes or id; by URL only where the server takes that", () => {
    const url = user([{ type: "input_file", file_url: "https://example.com/a.pdf", filename: "a.pdf" }]);
    const pdf = user([
      { type: "input_file", file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" },
      { type: "input_file", file_id: "f_1" },
    ]);
    expect(messagesOf([pdf])[0]?.["content"]).toEqual([
      { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
      { type: "file", file: { file_id: "f_1" } },
    ]);
    expect(encode({ input: [url] })).toMatchObject({ body: { messages: [] }, lost: ["input[0].content[0]"] });
    expect(messagesOf([url], { fileUrls: "document_url" })[0]?.["content"]).toEqual([
      { type: "document_url", document_url: "https://example.com/a.pdf", document_name: "a.pdf" },
    ]);
    expect(messagesOf([url], { fileUrls: "file_data" })[0]?.["content"]).toEqual([
      { type: "file", file: { file_data: "https://example.com/a.pdf", filename: "a.pdf" } },
    ]);
  });

  test("F3: sound goes as sound, also where it comes as a file", () => {
    const input = [
      user([
        { type: "input_file", file_data: "data:audio/mpeg;base64,SUQz" },
        { type: "input_audio", input_audio: { data: "UklGRg", format: "wav" } },
      ]),
    ];
    expect(messagesOf(input)[0]?.["content"]).toEqual([
      { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
      { type: "input_audio", input_audio: { data: "UklGRg", format: "wav" } },
    ]);
    expect(messagesOf(input, { audioForm: "bare" })[0]?.["content"]).toMatchObject([
      { input_audio: "SUQz" },
      { input_audio: "UklGRg" },
    ]);
  });

  test("F1, F3: what the server does not take is declared", () => {
    const { body, lost } = encode(
      {
        input: [
          user([
            { type: "input_text", text: "See" },
            { type: "input_image", image_url: png },
            { type: "input_video", video_url: "https://example.com/v" },
          ]),
        ],
      },
      { media: [] },
    );
    expect(body.messages).toEqual([{ role: "user", content: "See" }]);
    expect(lost).toEqual(["input[0].content[1]", "input[0].content[2]"]);
  });

  test("T9: a picture in a tool result follows in a user message, unless the server takes it in place", () => {
    const output: InputItem = {
      type: "function_call_output",
      call_id: "a",
      output: [
        { type: "input_text", text: "Here" },
        { type: "input_image", image_url: png },
      ],
    };
    const { body, lost } = encode({ input: [call("a"), output] });
    expect(body.messages.slice(1)).toEqual([
      result("a", "Here"),
      {
        role: "user",
        content: [
          { type: "text", text: "The tool call a also returned:" },
          { type: "image_url", image_url: { url: png } },
        ],
      },
    ]);
    expect(lost).toEqual(["input[1].output"]);
    const inPlace = encode({ input: [call("a"), output] }, { toolMedia: ["image"] });
    expect(inPlace.body.messages).toHaveLength(2);
    expect(inPlace.body.messages[1]?.["content"]).toEqual([
      { type: "text", text: "Here" },
      { type: "image_url", image_url: { url: png } },
    ]);
    expect(inPlace.lost).toEqual([]);
  });

  test("T9, T10: a result of text alone is a string, and a failed one says so in its own words", () => {
    const output: InputItem = {
      type: "function_call_output",
      call_id: "a",
      output: [{ type: "input_text", text: "It broke." }],
      status: "incomplete",
    };
    expect(encode({ input: [call("a"), output] })).toMatchObject({
      body: { messages: [{}, result("a", "It broke.")] },
      lost: [],
    });
  });
});
