import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import {
  applyPatch,
  codeInterpreter,
  computer,
  fileSearch,
  hostedMcp,
  imageGeneration,
  includesFor,
  localShell,
  shell,
  webSearch,
} from "../../src/hosted/options.ts";
import type { Tool } from "../../src/model/index.ts";

const cases: readonly (readonly [string, Tool, object])[] = [
  ["a web search", webSearch(), { type: "web_search" }],
  [
    "a web search with all options",
    webSearch({ contextSize: "low", location: { country: "NO", city: "Oslo" }, domains: ["nrk.no"], live: false }),
    {
      type: "web_search",
      search_context_size: "low",
      user_location: { type: "approximate", country: "NO", city: "Oslo" },
      filters: { allowed_domains: ["nrk.no"] },
      external_web_access: false,
    },
  ],
  ["a file search", fileSearch({ stores: ["vs_1"] }), { type: "file_search", vector_store_ids: ["vs_1"] }],
  [
    "a file search with all options",
    fileSearch({
      stores: ["vs_1"],
      maxResults: 5,
      ranker: "auto",
      scoreThreshold: 0.5,
      filters: { type: "and", filters: [{ type: "eq", key: "year", value: 2026 }] },
    }),
    {
      type: "file_search",
      vector_store_ids: ["vs_1"],
      max_num_results: 5,
      ranking_options: { ranker: "auto", score_threshold: 0.5 },
      filters: { type: "and", filters: [{ type: "eq", key: "year", value: 2026 }] },
    },
  ],
  ["code", codeInterpreter(), { type: "code_interpreter", container: { type: "auto" } }],
  ["code in a certain container", codeInterpreter({ container: "cntr_1" }), { type: "code_interpreter", container: "cntr_1" }],
  [
    "code with files",
    codeInterpreter({ files: ["file_1"], memory: "4g", reuse: false }),
    { type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"], memory_limit: "4g" } },
  ],
  [
    "pictures",
    imageGeneration({
      partialImages: 2,
      quality: "high",
      size: "1024x1536",
      background: "opaque",
      format: "webp",
      compression: 80,
      moderation: "low",
      inputFidelity: "high",
      model: "gpt-image-1",
    }),
    {
      type: "image_generation",
      partial_images: 2,
      quality: "high",
      size: "1024x1536",
      background: "opaque",
      output_format: "webp",
      output_compression: 80,
      moderation: "low",
      input_fidelity: "high",
      model: "gpt-image-1",
    },
  ],
  [
    "a remote MCP server asks first",
    hostedMcp({ label: "docs", url: "https://mcp.example/mcp" }),
    { type: "mcp", server_label: "docs", server_url: "https://mcp.example/mcp", require_approval: "always" },
  ],
  [
    "a remote MCP server with all options",
    hostedMcp({
      label: "calendar",
      connector: "connector_googlecalendar",
      description: "Meetings",
      authorization: "token",
      headers: { "x-team": "a" },
      allowedTools: ["search"],
      approval: { never: ["search"] },
    }),
    {
      type: "mcp",
      server_label: "calendar",
      connector_id: "connector_googlecalendar",
      server_description: "Meetings",
      authorization: "token",
      headers: { "x-team": "a" },
      allowed_tools: ["search"],
      require_approval: { never: { tool_names: ["search"] } },
    },
  ],
  ["a shell of the caller's", shell(), { type: "shell", environment: { type: "local" } }],
  [
    "a shell in a new container",
    shell({ container: "auto", files: ["file_1"], memory: "1g", domains: ["pypi.org"] }),
    {
      type: "shell",
      environment: {
        type: "container_auto",
        file_ids: ["file_1"],
        memory_limit: "1g",
        network_policy: { type: "allowlist", allowed_domains: ["pypi.org"] },
      },
    },
  ],
  [
    "a shell in a certain container",
    shell({ container: "cntr_1" }),
    { type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } },
  ],
  ["a local shell", localShell(), { type: "local_shell" }],
  ["patches", applyPatch(), { type: "apply_patch" }],
  ["a computer", computer(), { type: "computer" }],
  [
    "a computer that is described",
    computer({ environment: "browser", width: 1024, height: 768 }),
    { type: "computer_use_preview", environment: "browser", display_width: 1024, display_height: 768 },
  ],
];

test.each(cases)("%s is a tool in the wire's words", (_, tool, wire) => expect(tool).toStrictEqual(wire));

// What a caller without types might write.
const loose = <T>(value: unknown): T => value as T;

describe("a bad option is an error that names it", () => {
  const bad: readonly (readonly [string, string, () => unknown])[] = [
    ["contextSize", "must be one of low, medium, high", () => webSearch({ contextSize: loose("large") })],
    ["domains[1]", "must be a domain", () => webSearch({ domains: ["nrk.no", "https://vg.no"] })],
    ["domains", "a list that is not empty", () => webSearch({ domains: [] })],
    ["domains", "a list of 100 at most", () => webSearch({ domains: Array.from({ length: 101 }, () => "a.no") })],
    ["location.country", "two-letter country code", () => webSearch({ location: { country: "Norway" } })],
    ["location", "an object", () => webSearch({ location: loose("Oslo") })],
    ["radius", "Unknown option", () => webSearch(loose({ radius: 5 }))],
    ["stores", "is required", () => fileSearch(loose({}))],
    ["maxResults", "a whole number from 1 to 50", () => fileSearch({ stores: ["vs_1"], maxResults: 51 })],
    ["scoreThreshold", "a number from 0 to 1", () => fileSearch({ stores: ["vs_1"], scoreThreshold: 2 })],
    ["container", "cannot be combined", () => codeInterpreter({ container: "cntr_1", files: ["file_1"] })],
    ["memory", "must be one of", () => codeInterpreter({ memory: loose("2g") })],
    ["partialImages", "a whole number from 0 to 3", () => imageGeneration({ partialImages: 4 })],
    ["size", "width and height", () => imageGeneration({ size: "big" })],
    ["format", "transparent", () => imageGeneration({ format: "jpeg", background: "transparent" })],
    ["label", "letters", () => hostedMcp({ label: "my docs", url: "https://a.example" })],
    ["url", "or `connector` is required", () => hostedMcp({ label: "docs" })],
    ["url", "a URL", () => hostedMcp({ label: "docs", url: "mcp.example" })],
    ["approval.always", "a list", () => hostedMcp({ label: "docs", url: "https://a.example", approval: { always: [] } })],
    [
      "approval",
      'must be "always", "never" or lists',
      () => hostedMcp({ label: "docs", url: "https://a.example", approval: loose("no") }),
    ],
    ["container", 'must be "auto"', () => shell({ files: ["file_1"] })],
    ["environment", "together with `width` and `height`", () => computer({ environment: "mac" })],
  ];

  test.each(bad)("%s: %s", (param, words, make) => {
    const error = thrown(make);
    expect(error).toBeInstanceOf(AntiphonError);
    expect(error).toMatchObject({ code: "BAD_REQUEST", param, message: expect.stringContaining(words) });
  });
});

function thrown(make: () => unknown): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

test("results that a server leaves out unless asked are asked for, each once", () => {
  const tools = [webSearch(), webSearch({ live: false }), codeInterpreter(), fileSearch({ stores: ["vs_1"] }), imageGeneration()];
  expect(includesFor(tools)).toEqual([
    "web_search_call.action.sources",
    "code_interpreter_call.outputs",
    "file_search_call.results",
  ]);
  expect(includesFor([{ type: "web_search_preview" }, { type: "function", name: "constructor" }])).toEqual([]);
});
