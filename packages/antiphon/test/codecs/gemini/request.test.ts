import { describe, expect, test } from "vitest";
import { vertexDialect, type GeminiDialect } from "../../../src/codecs/gemini/index.ts";
import type { CreateResponse } from "../../../src/model/index.ts";
import { send, thrown } from "./send.ts";

const config = (request: CreateResponse): unknown => send(request).body["generationConfig"];

describe("the path", () => {
  test.each([
    ["gemini-2.5-flash", true, "/models/gemini-2.5-flash:streamGenerateContent?alt=sse"],
    ["models/gemini-2.5-flash", false, "/models/gemini-2.5-flash:generateContent"],
    ["tunedModels/my-tune", true, "/tunedModels/my-tune:streamGenerateContent?alt=sse"],
    ["odd name?", false, "/models/odd%20name%3F:generateContent"],
  ])("ID12 names the model %s, escaped, and the method", (model, stream, path) => {
    expect(send({ model, stream }).path).toBe(path);
  });

  test("streams unless the request says no", () => {
    expect(send({}).path).toContain(":streamGenerateContent?alt=sse");
  });

  test("is Vertex's in its dialect", () => {
    expect(send({ model: "gemini-2.5-pro" }, vertexDialect).path).toBe(
      "/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    );
    expect(send({ model: "publishers/meta/models/llama-4" }, vertexDialect).path).toContain("/publishers/meta/models/llama-4:");
  });

  test.each(["", "a/../b", "models/"])("refuses %j as a model", (model) => {
    expect(thrown({ model })).toMatchObject({ code: "BAD_REQUEST", param: "model" });
  });
});

describe("the conversation", () => {
  test("S1 S4 puts instructions and every leading system message into the system instruction, in order", () => {
    const { body, lost } = send({
      instructions: "One.",
      input: [
        { role: "system", content: "Two." },
        { role: "developer", content: [{ type: "input_text", text: "Three." }] },
        { role: "user", content: "Hi" },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "One." }, { text: "Two." }, { text: "Three." }] },
      contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    });
    expect(lost).toEqual([]);
  });

  test("S3 keeps a later system message in its place, marked, and declares it", () => {
    const { body, lost } = send({
      input: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
        { role: "developer", content: "Be brief." },
        { role: "user", content: "Go on" },
      ],
    });
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ text: "Hello" }] },
      { role: "user", parts: [{ text: "<system-reminder>\nBe brief.\n</system-reminder>" }, { text: "Go on" }] },
    ]);
    expect(lost).toEqual(["input[2]"]);
  });

  test("S6 sends no empty system instruction", () => {
    expect(send({ instructions: "" }).body).toEqual({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] });
  });

  test("M6 merges turns of one role, begins with the user and does not end with the model", () => {
    const { body, lost } = send({
      input: [
        { role: "assistant", content: "Welcome." },
        { role: "user", content: "A" },
        { role: "user", content: "B" },
        { role: "assistant", content: "C" },
      ],
    });
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "Begin." }] },
      { role: "model", parts: [{ text: "Welcome." }] },
      { role: "user", parts: [{ text: "A" }, { text: "B" }] },
      { role: "model", parts: [{ text: "C" }] },
      { role: "user", parts: [{ text: "Continue." }] },
    ]);
    expect(lost).toEqual(["input", "input"]);
  });

  test("M7 sends instructions as the input where there is no other", () => {
    const { body, lost } = send({ input: [{ role: "system", content: "Say hi." }] });
    expect(body).toEqual({ contents: [{ role: "user", parts: [{ text: "Say hi." }] }] });
    expect(lost).toEqual(["instructions", "input"]);
  });

  test("M8 drops empty text and empty turns", () => {
    const { body } = send({
      input: [
        { role: "user", content: "" },
        { role: "assistant", content: "" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "" },
            { type: "input_text", text: "Hi" },
          ],
        },
      ],
    });
    expect(body["contents"]).toEqual([{ role: "user", parts: [{ text: "Hi" }] }]);
  });

  test("M11 M13 keeps the parts of a message apart and takes messages without a type", () => {
    const { body } = send({
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "a" },
            { type: "input_text", text: "b" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "output_text", text: "c" },
            { type: "output_text", text: "d" },
          ],
        },
        { role: "user", content: "e" },
      ],
    });
    expect(body["contents"]).toEqual([
      { role: "user", parts: [{ text: "a" }, { text: "b" }] },
      { role: "model", parts: [{ text: "c" }, { text: "d" }] },
      { role: "user", parts: [{ text: "e" }] },
    ]);
  });

  test("M12 sends a refusal as text, and declares it", () => {
    const { body, lost } = send({
      input: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
        { role: "user", content: "Why?" },
      ],
    });
    expect(body["contents"]).toMatchObject([{}, { role: "model", parts: [{ text: "No." }] }, {}]);
    expect(lost).toEqual(["input"]);
  });

  test("M14 M15 declares items that the history cannot hold", () => {
    const { lost } = send({
      input: [
        { role: "user", content: "Hi" },
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
        { type: "acme:note", id: "n_1" },
        { type: "item_reference", id: "msg_1" },
        { role: "assistant", content: "Yes" },
        { role: "user", content: "And?" },
      ],
    });
    expect(lost.sort()).toEqual(["input[1]", "input[2]", "input[3]"]);
  });

  test("M16 never changes the caller's request", () => {
    const request: CreateResponse = {
      input: [{ role: "user", content: "Hi" }],
      tools: [{ type: "function", name: "f", parameters: { type: "object", properties: { a: { type: ["string", "null"] } } } }],
      text: { format: { type: "json_schema", name: "n", schema: { type: "object", properties: {} } } },
    };
    const before = structuredClone(request);
    send(request, { schemas: "openapi" });
    expect(request).toEqual(before);
  });
});

describe("media", () => {
  const parts = (
    content: NonNullable<Extract<CreateResponse["input"], unknown[]>[number]>,
    dialect?: Partial<GeminiDialect>,
  ): unknown => (send({ input: [content] }, dialect).body["contents"] as { parts: unknown }[])[0]?.parts;

  test.each([
    [
      "F1 an image as bytes",
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
    ],
    [
      "F1 an image by URL",
      { type: "input_image", image_url: "https://a.example/b.webp?x=1" },
      { fileData: { mimeType: "image/webp", fileUri: "https://a.example/b.webp?x=1" } },
    ],
    [
      "F1 an image of unknown kind",
      { type: "input_image", image_url: "gs://b/c" },
      { fileData: { mimeType: "image/jpeg", fileUri: "gs://b/c" } },
    ],
    [
      "F1 an uploaded image",
      { type: "input_image", file_id: "https://g.example/files/1" },
      { fileData: { fileUri: "https://g.example/files/1" } },
    ],
    [
      "F2 a document as bytes",
      { type: "input_file", file_data: "data:application/pdf;base64,JVBE" },
      { inlineData: { mimeType: "application/pdf", data: "JVBE" } },
    ],
    [
      "F2 bare base64",
      { type: "input_file", file_data: "JVBERi0x" },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0x" } },
    ],
    [
      "F2 a document by URL",
      { type: "input_file", file_url: "https://a.example/b.pdf" },
      { fileData: { mimeType: "application/pdf", fileUri: "https://a.example/b.pdf" } },
    ],
    [
      "F3 sound",
      { type: "input_audio", input_audio: { data: "SUQz", format: "mp3" } },
      { inlineData: { mimeType: "audio/mp3", data: "SUQz" } },
    ],
    [
      "a video",
      { type: "input_video", video_url: "https://youtu.be/x" },
      { fileData: { mimeType: "video/mp4", fileUri: "https://youtu.be/x" } },
    ],
  ] as const)("%s", (_, content, part) => {
    expect(parts({ role: "user", content: [content] })).toEqual([part]);
  });

  test("F2 sends a file's name where the server takes one, and declares it elsewhere", () => {
    const input: CreateResponse["input"] = [
      { role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" }] },
    ];
    expect(send({ input }).lost).toEqual(["input[0].content[0].filename"]);
    const vertex = send({ input }, vertexDialect);
    expect(vertex.lost).toEqual([]);
    expect(JSON.stringify(vertex.body)).toContain('"displayName":"a.pdf"');
  });

  test("F1 declares a detail that the wire has no word for, and an image without a source", () => {
    const { lost } = send({
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "https://a.example/b.png", detail: "low" },
            { type: "input_image" },
            { type: "input_text", text: "?" },
          ],
        },
      ],
    });
    expect(lost).toEqual(["input[0].content[0].detail", "input[0].content[1]"]);
  });
});

describe("how the answer is made", () => {
  test("Q1 Q2 Q4 goes into the generation config under the wire's names", () => {
    expect(
      config({
        temperature: 0,
        top_p: 0.9,
        max_output_tokens: 100,
        stop: "END",
        seed: 7,
        presence_penalty: 0.5,
        frequency_penalty: -0.5,
      }),
    ).toEqual({
      temperature: 0,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: -0.5,
    });
  });

  test("Q3 Q6 sends nothing that the caller did not give, and takes null for that", () => {
    expect(
      send({ temperature: null, reasoning: null, tools: null, text: null, store: null, include: null, stop: null }).body,
    ).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    });
  });

  test("Q5 asks for log probabilities", () => {
    expect(config({ top_logprobs: 3, include: ["message.output_text.logprobs"] })).toEqual({
      logprobs: 3,
      responseLogprobs: true,
    });
    expect(config({ include: ["message.output_text.logprobs"] })).toEqual({ responseLogprobs: true });
  });

  test("Q7 declares what it cannot include", () => {
    expect(send({ include: ["reasoning.encrypted_content", "web_search_call.results"] }).lost).toEqual(["include[1]"]);
  });

  test.each<[string, CreateResponse]>([
    ["store", { store: true }],
    ["metadata", { metadata: { a: "b" } }],
    ["user", { user: "u" }],
    ["safety_identifier", { safety_identifier: "u" }],
    ["prompt_cache_key", { prompt_cache_key: "k" }],
    ["max_tool_calls", { max_tool_calls: 3 }],
    ["truncation", { truncation: "auto" }],
    ["service_tier", { service_tier: "scale" }],
    ["text.verbosity", { text: { verbosity: "low" } }],
  ])("Q4 Q8 declares %s", (path, request) => {
    expect(send(request).lost).toEqual([path]);
  });

  test("says nothing of fields that make no difference", () => {
    expect(
      send({ store: false, background: false, truncation: "disabled", stream_options: { include_obfuscation: false } }).lost,
    ).toEqual([]);
  });

  test("asks for a service tier in the wire's words", () => {
    expect(send({ service_tier: "default" }).body["serviceTier"]).toBe("standard");
    expect(send({ service_tier: "flex" }).body["serviceTier"]).toBe("flex");
  });

  test.each<[keyof CreateResponse, CreateResponse]>([
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["conversation", { conversation: "conv_1" }],
    ["background", { background: true }],
    ["prompt", { prompt: { id: "p" } }],
  ])("refuses %s, without which the answer would be another", (param, request) => {
    expect(thrown(request)).toMatchObject({ code: "UNSUPPORTED", param });
  });

  test("J1 J3 asks for typed output natively, with the format's name as the schema's title", () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
    expect(config({ text: { format: { type: "json_schema", name: "thing", schema, strict: true } } })).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: { title: "thing", ...schema },
    });
    expect(config({ text: { format: { type: "json_object" } } })).toEqual({ responseMimeType: "application/json" });
    expect(config({ text: { format: { type: "text" } } })).toBeUndefined();
  });

  test("J3 lets a hidden function give the typed answer where the model takes no schema beside functions", () => {
    const request: CreateResponse = {
      model: "gemini-2.5-flash",
      tools: [{ type: "function", name: "look" }],
      text: { format: { type: "json_schema", name: "thing", schema: { type: "object", properties: { a: { type: "string" } } } } },
    };
    const { body, lost } = send(request);
    expect(body["generationConfig"]).toBeUndefined();
    expect(body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "look" }, { name: "thing" }] }]);
    expect(body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "ANY" } });
    expect(send({ ...request, tool_choice: "none" }).body["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["thing"] },
    });
    const allowing = { type: "allowed_tools" as const, tools: [{ type: "function", name: "look" }] };
    expect(send({ ...request, tool_choice: allowing }).body["toolConfig"]).toEqual({
      functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["look", "thing"] },
    });
    expect(lost).toEqual([]);
    expect(send({ ...request, text: { format: { type: "json_object" } } }).lost).toEqual(["text.format"]);
  });

  test.each<[string, CreateResponse["reasoning"], unknown, string[]]>([
    ["gemini-3-flash-preview", { effort: "minimal" }, { thinkingLevel: "minimal" }, []],
    ["gemini-3-flash-preview", { effort: "none" }, { thinkingLevel: "minimal" }, ["reasoning.effort"]],
    ["gemini-3-flash-preview", { effort: "xhigh" }, { thinkingLevel: "high" }, ["reasoning.effort"]],
    ["gemini-3-pro-preview", { effort: "medium" }, { thinkingLevel: "high" }, ["reasoning.effort"]],
    ["gemini-3.1-pro-preview", { effort: "medium" }, { thinkingLevel: "medium" }, []],
    ["gemini-2.5-flash", { effort: "none" }, { thinkingBudget: 0 }, []],
    ["gemini-2.5-flash", { effort: "high", summary: "auto" }, { thinkingBudget: 24_576, includeThoughts: true }, []],
    ["gemini-2.5-pro", { effort: "none" }, { thinkingBudget: 128 }, ["reasoning.effort"]],
    ["gemini-2.5-pro", { summary: "detailed" }, { includeThoughts: true }, ["reasoning.summary"]],
    ["gemini-2.0-flash", { effort: "low" }, undefined, ["reasoning"]],
    ["gemini-2.5-pro", {}, undefined, []],
  ])("Z10 asks %s for thinking %j", (model, reasoning, thinkingConfig, lost) => {
    const sent = send({ model, reasoning });
    expect((sent.body["generationConfig"] as { thinkingConfig?: unknown } | undefined)?.thinkingConfig).toEqual(thinkingConfig);
    expect(sent.lost).toEqual(lost);
  });

  test("an exact budget is sent without a level, which the server refuses beside it", () => {
    const request: CreateResponse & Record<`google:${string}`, unknown> = {
      model: "gemini-3-pro-preview",
      reasoning: { effort: "medium", summary: "auto" },
      "google:generationConfig": { thinkingConfig: { thinkingBudget: 5000 } },
    };
    const sent = send(request);
    expect(sent.body["generationConfig"]).toEqual({ thinkingConfig: { thinkingBudget: 5000, includeThoughts: true } });
    expect(sent.lost).toEqual([]);
  });

  test("takes the wire's own fields as they are, over those that were made", () => {
    const request: CreateResponse & Record<`google:${string}`, unknown> = {
      temperature: 1,
      "google:safetySettings": [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      "google:cachedContent": "cachedContents/1",
      "google:generationConfig": { topK: 40, temperature: 0.5 },
    };
    expect(send(request).body).toMatchObject({
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
      cachedContent: "cachedContents/1",
      generationConfig: { topK: 40, temperature: 0.5 },
    });
  });
});
