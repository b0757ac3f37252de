import { user, type CreateResponse, type InputItem, type Tool } from "antiphon";
import { describe, expect, test } from "vitest";
import { checkRequestUrls, requestUrls } from "../../src/security/request-urls.ts";
import { UrlGuard } from "../../src/security/url-guard.ts";

const bad = "http://169.254.169.254/latest";
const message = (...content: unknown[]): InputItem => ({ type: "message", role: "user", content }) as InputItem;
const withInput = (...input: unknown[]): CreateResponse => ({ input: input as InputItem[] });
const withTools = (...tools: unknown[]): CreateResponse => ({ tools: tools as Tool[] });

// Every place where a caller can name a URL that somebody fetches.
const places: readonly (readonly [path: string, request: CreateResponse])[] = [
  ["input[0].content[0].image_url", withInput(message({ type: "input_image", image_url: bad }))],
  ["input[0].content[0].file_url", withInput({ role: "user", content: [{ type: "input_file", file_url: bad }] })],
  ["input[0].content[0].file_data", withInput(message({ type: "input_file", file_data: bad }))],
  ["input[0].content[0].file_id", withInput(message({ type: "input_file", file_id: bad }))],
  ["input[0].content[0].video_url", withInput(message({ type: "input_video", video_url: bad }))],
  [
    "input[0].content[0].input_audio.data",
    withInput(message({ type: "input_audio", input_audio: { data: bad, format: "wav" } })),
  ],
  ["input[0].content[0].audio_url.url", withInput(message({ type: "audio_url", audio_url: { url: bad } }))],
  [
    "input[0].content[1].image_url",
    withInput(message({ type: "input_text", text: "a" }, { type: "input_image", image_url: bad })),
  ],
  ["input[0].content[0].image_urls[1]", withInput(message({ type: "x:images", image_urls: ["https://example.com/", bad] }))],
  [
    "input[1].output[0].image_url",
    withInput(user("a"), { type: "function_call_output", call_id: "c", output: [{ type: "input_image", image_url: bad }] }),
  ],
  [
    "input[0].output[0].file_url",
    withInput({ type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_file", file_url: bad }] }),
  ],
  [
    "input[0].output.image_url",
    withInput({ type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: bad } }),
  ],
  ["input[0].outputs[0].url", withInput({ type: "code_interpreter_call", outputs: [{ type: "image", url: bad }] })],
  [
    "input[0].tools[0].server_url",
    withInput({ type: "tool_search_output", tools: [{ type: "mcp", server_label: "a", server_url: bad }] }),
  ],
  ["input[0].part.fileUri", withInput({ type: "google:part", part: { fileUri: bad } })],
  ["input[0].url", withInput({ type: "constructor", url: bad })],
  ["tools[0].server_url", withTools({ type: "mcp", server_label: "a", server_url: bad })],
  [
    "tools[1].input_image_mask.image_url",
    withTools({ type: "web_search" }, { type: "image_generation", input_image_mask: { image_url: bad } }),
  ],
  [
    "tools[0].tools[1].server_url",
    withTools({
      type: "namespace",
      name: "n",
      tools: [
        { type: "function", name: "f" },
        { type: "mcp", server_url: bad },
      ],
    }),
  ],
  ["tools[0].endpoint.url", withTools({ type: "acme:tool", endpoint: { url: bad } })],
  ["prompt.variables.cat.image_url", { prompt: { id: "p", variables: { cat: { type: "input_image", image_url: bad } } } }],
];

describe("the URLs of a request", () => {
  test.each(places)("are checked at %s", (path, request) => {
    expect(requestUrls(request)).toContainEqual({ path, url: bad });
    expect(() => checkRequestUrls(request, new UrlGuard())).toThrow(
      expect.objectContaining({ code: "BAD_REQUEST", status: 400, param: path }),
    );
  });

  test.each(["10.0.0.1/cat.png", "file:///etc/passwd", "gs://bucket/cat.png", " http://10.0.0.1/", "DATA-ish:x"])(
    "are refused where %j stands for one",
    (url) => {
      const request = withInput(message({ type: "input_image", image_url: url }));
      expect(() => checkRequestUrls(request, new UrlGuard())).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
    },
  );

  test("are refused in the place of bytes, however they are indented", () => {
    const request = withInput(message({ type: "input_file", file_data: "\n HTTP://10.0.0.1/" }));
    expect(() => checkRequestUrls(request, new UrlGuard())).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });

  test("pass where they are public, inline, empty or allowed", () => {
    const request: CreateResponse = {
      input: [
        message(
          { type: "input_image", image_url: "https://example.com/cat.png" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA" },
          { type: "input_image", image_url: "DATA:image/png;base64,AAAA" },
          { type: "input_image", image_url: null, file_id: "file_1" },
          { type: "input_image", image_url: "" },
          { type: "input_file", filename: "http://localhost/a.pdf", file_data: "JVBERi0=" },
          { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
        ),
      ],
      tools: [{ type: "mcp", server_label: "a", server_url: "http://mcp.internal:8000/" }],
    };
    expect(() => checkRequestUrls(request, new UrlGuard({ allow: ["mcp.internal:8000"] }))).not.toThrow();
  });

  test("are not looked for in what people and models say", () => {
    const request: CreateResponse = {
      input: [
        user("http://localhost:3000/ does not work"),
        message({ type: "input_text", text: bad, url: bad }),
        { type: "web_search_call", id: "w", status: "completed", action: { type: "open_page", url: bad } },
        { type: "function_call", id: "f", call_id: "c", name: "fetch", arguments: `{"url":"${bad}"}`, status: "completed" },
        { type: "function_call_output", call_id: "c", output: bad },
        { type: "reasoning", summary: [{ type: "summary_text", text: bad }] },
      ],
      tools: [{ type: "function", name: "fetch", parameters: { properties: { url: { default: bad } }, url: bad } }],
    };
    expect(requestUrls(request)).toEqual([]);
    expect(requestUrls({ input: bad })).toEqual([]);
    expect(requestUrls({ input: null, tools: null, prompt: null })).toEqual([]);
  });

  test("are found in whatever a caller sends instead of what belongs there", () => {
    const nonsense: unknown[] = [
      null,
      1,
      "x",
      [],
      [[]],
      { type: 1 },
      { type: null, content: null },
      { content: { image_url: bad } },
    ];
    expect(requestUrls(withInput(...nonsense))).toEqual([{ path: "input[7].content.image_url", url: bad }]);
    expect(requestUrls({ tools: [null, 1, "x"] as unknown as Tool[] })).toEqual([]);
    expect(requestUrls({ tools: { server_url: bad } as unknown as Tool[] })).toEqual([{ path: "tools.server_url", url: bad }]);
  });
});
