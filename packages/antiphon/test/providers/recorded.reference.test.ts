import { describe, expect, test } from "vitest";
import { chatServer } from "../../src/codecs/chat/index.ts";
import type { ServerCodec } from "../../src/codecs/codec.ts";
import { geminiRoute, geminiServer } from "../../src/codecs/gemini/index.ts";
import { messagesServer } from "../../src/codecs/messages/index.ts";
import { responsesServer } from "../../src/codecs/responses/index.ts";
import { collect } from "../../src/core/collect.ts";
import { functionCalls, text } from "../../src/core/views.ts";
import { functionTool, type CreateResponse, type ResponseResource } from "../../src/model/index.ts";
import { presets, provider, type Provider, type ServerPreset, type Wire } from "../../src/providers/index.ts";
import { connect } from "../../src/transport/connect.ts";
import type { HttpRequest, Transport } from "../../src/transport/upstream.ts";
import { recordings, type Recording } from "../support/recordings.ts";
import { refusedByUs } from "../support/reviewed-recordings.ts";
import { saidIn, type Said } from "./support/said.ts";
import { loadCodecs } from "../support/load-codecs.ts";

await loadCodecs();

/** The recordings that stand behind each preset. */
const recordedAs: Readonly<Record<string, string>> = {
  openai: "openai-responses",
  "openai-chat": "openai-chat",
  anthropic: "anthropic",
  gemini: "gemini",
  azure: "responses-compatible-azure",
  "azure-chat": "chat-compatible-azure",
  "azure-anthropic": "anthropic-compatible-azure",
  vertex: "gemini-vertex",
  "vertex-anthropic": "anthropic-vertex",
  xai: "responses-compatible-xai",
  "xai-chat": "chat-compatible-xai",
  deepseek: "chat-compatible-deepseek",
  "deepseek-responses": "responses-compatible-deepseek",
  mistral: "chat-compatible-mistral",
  moonshot: "chat-compatible-moonshot",
  zai: "chat-compatible-zai",
  alibaba: "chat-compatible-alibaba",
  perplexity: "chat-compatible-perplexity",
  groq: "chat-compatible-groq",
  cerebras: "chat-compatible-cerebras",
  together: "chat-compatible-together",
  nvidia: "chat-compatible-nvidia",
  openrouter: "responses-compatible-openrouter",
  "openrouter-chat": "chat-compatible-openrouter",
  "huggingface-chat": "chat-compatible-huggingface",
  vercel: "chat-compatible-vercel-gateway",
  venice: "chat-compatible-venice",
  cloudflare: "chat-compatible-cloudflare",
  databricks: "chat-compatible-databricks",
  lmstudio: "openresponses-lmstudio",
  "ollama-chat": "chat-compatible-ollama",
  vllm: "responses-compatible-vllm",
  "vllm-chat": "chat-compatible-vllm",
  llamacpp: "responses-compatible-llamacpp",
  "llamacpp-chat": "chat-compatible-llamacpp",
};

/** Presets of servers that nobody recorded; they rest on what their makers write. */
const unrecorded = ["open-responses", "chat", "fireworks", "github", "huggingface", "lmstudio-chat", "ollama"];

const servers = presets().filter((preset): preset is ServerPreset => preset.wire !== "local");

const mirrors: Readonly<Record<Wire, ServerCodec>> = {
  responses: responsesServer(),
  chat: chatServer(),
  messages: messagesServer(),
  gemini: geminiServer(),
};

/** What the recordings' editors put in the place of names. */
const variables = { endpoint: "https://resource.openai.azure.com", host: "https://adb.azuredatabricks.net", account: "ACCOUNT" };

/** A URL without its server and its query; the names in it may be masked, so that it is none to a stricter reader. */
const pathIn = (url: string): string => decodeURIComponent(url.replace(/^https?:\/\/[^/]+/, "").replace(/[?#].*$/, ""));

/** The path of a recorded URL, or nothing where none was kept. */
function pathOf(recording: Recording): string | undefined {
  const { url } = recording.meta();
  return url && !url.startsWith("<") ? pathIn(url) : undefined;
}

/** A place on Google Cloud has its names in the path. */
const placeOf = (recording: Recording): Record<string, string> => {
  const found = /projects\/(?<project>[^/]+)\/locations\/(?<location>[^/]+)/.exec(pathOf(recording) ?? "");
  return { project: "p", location: "l", resource: "r", ...found?.groups };
};

const makeProvider = (preset: ServerPreset, recording: Recording): Provider =>
  provider(preset, {
    apiKey: "k",
    env: {},
    variables: { ...variables, ...placeOf(recording) },
    ...(preset.baseUrl ? {} : { baseUrl: "http://127.0.0.1/v1" }),
  });

/** The request that a recording answers, as far as it was kept and can be read. */
function requestOf({ wire }: ServerPreset, recording: Recording): CreateResponse | undefined {
  const body = recording.request();
  if (typeof body !== "object" || body === null) return undefined;
  const { url = "" } = recording.meta();
  // Some wires tell model and stream by the path.
  const inPath = /models\/([^:/]+):(?:stream)?[rR]awPredict/.exec(url)?.[1];
  const routed = { ...body, ...geminiRoute(url), ...(inPath ? { model: inPath } : {}) };
  try {
    return { ...mirrors[wire].decodeRequest(routed), stream: recording.stream };
  } catch {
    return undefined;
  }
}

interface Exchange {
  sent: HttpRequest;
  response: ResponseResource;
}

/** Sends a request to a provider whose server answers as it was recorded to. */
async function replay(made: Provider, recording: Recording, request: CreateResponse): Promise<Exchange> {
  let sent: HttpRequest | undefined;
  const transport: Transport = async (asked) => {
    sent = asked;
    let body: Uint8Array | undefined = recording.body();
    const type = recording.stream ? "text/event-stream" : "application/json";
    return {
      status: recording.status,
      headers: { get: (name) => (name.toLowerCase() === "content-type" ? type : null) },
      read: async () => {
        const next = body;
        body = undefined;
        return next;
      },
      cancel: () => (body = undefined),
    };
  };
  const response = await collect(connect(made, { transport })(request));
  if (!sent) throw new Error("Nothing was sent.");
  return { sent, response };
}

const simple: CreateResponse = {
  instructions: "Be brief.",
  input: "Hello",
  max_output_tokens: 64,
  tools: [functionTool("clock", "Tells the time.", { type: "object", properties: {} })],
  tool_choice: "auto",
};

/** Fields of a wire that any server of it takes, whether a recording happens to have them or not. */
const basic: Readonly<Record<Wire, readonly string[]>> = {
  responses: ["instructions", "max_output_tokens", "stream", "tools", "tool_choice"],
  chat: ["max_tokens", "stream", "stream_options", "tools", "tool_choice"],
  messages: ["stream", "system", "tools", "tool_choice"],
  gemini: ["generationConfig", "systemInstruction", "tools", "toolConfig"],
};

/** The path that a provider asks for the given request, without its query. */
function askedPath(made: Provider, request: CreateResponse): string {
  if (!("codec" in made)) throw new Error(`${made.name} has no codec`);
  const model = request.model ?? made.model ?? "some-model";
  const { path } = made.codec.encodeRequest({
    request: { ...request, model },
    newId: (prefix) => `${prefix}_1`,
    now: () => 0,
  });
  return pathIn(made.baseUrl + path);
}

/** Those of a vendor's recordings that were asked for where the preset would ask; a recording without a URL may be from anywhere. */
function fitting(preset: ServerPreset, all: readonly Recording[]): Recording[] {
  return all.filter((recording) => {
    const path = pathOf(recording);
    if (path === undefined) return true;
    const request = Object.hasOwn(refusedByUs, recording.id) ? undefined : requestOf(preset, recording);
    return request !== undefined && askedPath(makeProvider(preset, recording), request) === path;
  });
}

const wanted: readonly (readonly [what: string, fits: (said: Said) => boolean])[] = [
  ["text", ({ text: words, calls }) => words.trim() !== "" && calls.length === 0],
  ["tool calls", ({ calls }) => calls.length > 0],
];

test("every preset has recordings behind it, or is known to have none", () => {
  const names = servers.map(({ name }) => name);
  expect([...Object.keys(recordedAs), ...unrecorded].toSorted()).toEqual(names.toSorted());
});

describe("recorded exchanges", () => {
  describe.each(servers.filter(({ name }) => recordedAs[name]))("of $name", (preset) => {
    const answers = recordings(recordedAs[preset.name] ?? "").filter(
      (one) => one.provider === recordedAs[preset.name] && one.status === 200 && one.meta().method !== "GET",
    );
    const usable = fitting(preset, answers);
    const found = wanted.flatMap(([what, fits]) => {
      const recording = usable.find((one) => fits(saidIn(preset.wire, one)));
      return recording ? [{ what, recording }] : [];
    });

    test("are of the place that the preset names", () => {
      expect(found.length).toBeGreaterThan(0);
    });

    test.each(found)("give their $what", async ({ recording }) => {
      const request = requestOf(preset, recording) ?? { model: "some-model", input: "Hello", stream: recording.stream };
      const { response } = await replay(makeProvider(preset, recording), recording, request);
      expect({ text: text(response), calls: functionCalls(response).map(({ name }) => name) }).toEqual(
        saidIn(preset.wire, recording),
      );
    });

    test("have the fields that a simple prompt is sent with, and so has the key its header", async () => {
      const [first] = usable;
      if (!first) throw new Error("There is no recording.");
      const bodies = answers.flatMap((recording) => recording.request() ?? []) as object[];
      const known = new Set([...basic[preset.wire], ...bodies.flatMap(Object.keys)]);
      const model = preset.models?.chat ?? "some-model";
      const { sent } = await replay(makeProvider(preset, first), first, { model, ...simple, stream: first.stream });
      const fields = Object.keys(JSON.parse(sent.body ?? "{}") as object);
      // Nobody kept a request of two vendors.
      expect(bodies.length === 0 ? [] : fields.filter((field) => !known.has(field))).toEqual([]);
      expect(Object.values(sent.headers).some((value) => value === "k" || value === "Bearer k")).toBe(true);
    });
  });
});
