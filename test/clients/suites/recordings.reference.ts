import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenResponses } from "@ai-sdk/open-responses";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { functionCalls, refusal, text, type Respond, type ResponseResource } from "antiphon";
import OpenAI6 from "openai";
import OpenAI7 from "openai7";
import { describe, expect } from "vitest";
import { can } from "../support/cell.ts";
import { recordedStreams, replaying, type Recorded } from "../support/recorded.ts";
import { all, serve } from "../support/serve.ts";

// One after the other stands behind the gateway.
let current: Respond;
const server = await serve((request, options) => current(request, options));

/** What a client made of an answer. */
interface Read {
  text: string;
  calls: { name: string; input: unknown }[];
  failed?: boolean;
}

type Way = "streamed" | "plain";

interface Client {
  /** Asks and reads an answer; one that failed throws, or is marked. */
  read(way: Way): Promise<Read>;
  /** Kinds of items that the client throws at, or misreads. */
  beyond?: RegExp;
  /** Whether a plain answer that failed looks like any other. */
  hidesFailures?: true;
}

const model = "offline";
const input = "Hello";
const apiKey = "none";
const messages = [{ role: "user" as const, content: input }];

// The two majors have types of their own, and the same methods: the older types speak for both.
const OpenAI7As6 = OpenAI7 as unknown as typeof OpenAI6;
const openai = (OpenAI: typeof OpenAI6) => new OpenAI({ apiKey, baseURL: `${server.url}/openai/v1`, maxRetries: 0 });

const responses = (OpenAI: typeof OpenAI6): Client["read"] =>
  async function read(way) {
    const client = openai(OpenAI).responses;
    const answer = way === "plain" ? client.create({ model, input }) : client.stream({ model, input }).finalResponse();
    const { status, output, output_text } = await answer;
    const calls = output.flatMap((item) => (item.type === "function_call" ? [{ name: item.name, input: item.arguments }] : []));
    return { text: output_text, calls, failed: status === "failed" };
  };

const chat = (OpenAI: typeof OpenAI6): Client["read"] =>
  async function read(way) {
    const client = openai(OpenAI).chat.completions;
    const asked = { model, messages };
    const plain = async () => (await client.create(asked)).choices[0]!.message;
    const { content, tool_calls = [] } = await (way === "plain" ? plain() : client.stream(asked).finalMessage());
    const calls = tool_calls.map((call) =>
      call.type === "function"
        ? { name: call.function.name, input: call.function.arguments }
        : { name: call.custom.name, input: call.custom.input },
    );
    return { text: content ?? "", calls };
  };

const anthropic: Client["read"] = async (way) => {
  const client = new Anthropic({ apiKey, baseURL: server.url, maxRetries: 0 }).messages;
  const asked = { model, max_tokens: 100, messages };
  const { content } = await (way === "plain" ? client.create(asked) : client.stream(asked).finalMessage());
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [])),
  };
};

const google: Client["read"] = async (way) => {
  const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.gemini } });
  const asked = { model, contents: input };
  const chunks = way === "plain" ? [await models.generateContent(asked)] : await all(await models.generateContentStream(asked));
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return {
    text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name ?? "", input: call.args }] : [])),
  };
};

type Model = ReturnType<ReturnType<typeof createOpenAI>["responses"]>;

/** The providers of the AI SDK, without the SDK: each checks all that it is sent against a schema, and tells what does not fit. */
const aiSdk = (sdkModel: Model): Client["read"] =>
  async function read(way) {
    const asked = { prompt: [{ role: "user" as const, content: [{ type: "text" as const, text: input }] }] };
    const answer: Read = { text: "", calls: [] };
    if (way === "plain") {
      const { content, finishReason } = await sdkModel.doGenerate(asked);
      for (const part of content) {
        if (part.type === "text") answer.text += part.text ?? "";
        if (part.type === "tool-call") answer.calls.push({ name: part.toolName, input: part.input });
      }
      return { ...answer, failed: finishReason.unified === "error" };
    }
    for await (const part of (await sdkModel.doStream(asked)).stream) {
      if (part.type === "error") throw part.error instanceof Error ? part.error : new Error(JSON.stringify(part.error));
      if (part.type === "text-delta") answer.text += part.delta;
      if (part.type === "tool-call") answer.calls.push({ name: part.toolName, input: part.input });
      if (part.type === "finish") answer.failed = part.finishReason.unified === "error";
    }
    return answer;
  };

const clients: Record<string, Client> = {
  "openai 6 · Responses": { read: responses(OpenAI6), beyond: /^(apply_patch|shell)_call$/ },
  "openai 7 · Responses": { read: responses(OpenAI7As6), beyond: /^apply_patch_call$/ },
  "openai 6 · Chat Completions": { read: chat(OpenAI6), beyond: /^custom_tool_call$/ },
  "openai 7 · Chat Completions": { read: chat(OpenAI7As6) },
  "@anthropic-ai/sdk 1 · Messages": { read: anthropic },
  "@google/genai 2 · generateContent": { read: google },
  "@ai-sdk/openai 3 · Responses": {
    read: aiSdk(createOpenAI({ apiKey, baseURL: `${server.url}/openai/v1` }).responses(model)),
    // Its list of items is closed: others' own are not on it, nor are all of OpenAI's.
    beyond: /:|^(mcp_call|mcp_list_tools|compaction|program|program_output)$/,
  },
  "@ai-sdk/openai 3 · Chat Completions": {
    read: aiSdk(createOpenAI({ apiKey, baseURL: `${server.url}/openai/v1` }).chat(model)),
    beyond: /^custom_tool_call$/,
  },
  "@ai-sdk/open-responses 1 · Open Responses": {
    read: aiSdk(createOpenResponses({ name: "local", url: `${server.url}/v1/responses` })(model)),
    hidesFailures: true,
  },
  "@ai-sdk/anthropic 3 · Messages": {
    read: aiSdk(createAnthropic({ apiKey, baseURL: `${server.url}/v1` })(model)),
    // In plain answers it takes the summary for text.
    beyond: /^compaction$/,
  },
  "@ai-sdk/google 3 · generateContent": {
    read: aiSdk(createGoogleGenerativeAI({ apiKey, baseURL: `${server.gemini}/v1beta` })(model)),
  },
};

// Reviewed: what a client reads otherwise, and why. One that no longer does is a finding too.
const exceptions: Record<string, Record<string, string>> = {
  "@ai-sdk/openai 3 · Responses": {
    "anthropic/vercel-ai--anthropic-code-execution-20250825-pptx-skill--stream":
      "a file that code left is no output that OpenAI has",
    "gemini/pydantic-ai--google-model-file-search-tool-stream--04": "Google's search results have no score and no attributes",
  },
};

const streams = recordedStreams();

describe.each(Object.entries(clients))("%s", (name, { read, beyond, hidesFailures }) => {
  const reviewed = exceptions[name] ?? {};
  const readable = streams.filter(({ response }) => !response.output.some(({ type }) => beyond?.test(type)));

  for (const way of ["streamed", "plain"] as const)
    can("recordings", `${readable.length} recorded answers of every wire arrive whole, ${way}`, async () => {
      const findings: string[] = [];
      for (const recorded of readable) {
        if (hidesFailures && way === "plain" && recorded.response.status === "failed") continue;
        const difference = await differenceIn(recorded, () => read(way));
        const finding = reviewed[recorded.id] === undefined ? difference : difference ? undefined : "is no exception";
        if (finding) findings.push(`${recorded.id}: ${finding}`);
      }
      expect(findings).toEqual([]);
    });
});

/** What a client read otherwise than we do, if it did. */
async function differenceIn(recorded: Recorded, read: () => Promise<Read>): Promise<string | undefined> {
  const { response } = recorded;
  current = replaying(recorded);
  const got = await read().catch((error: unknown) => error);
  const failed = response.status === "failed";
  if (got instanceof Error) return failed ? undefined : String(got).slice(0, 400);
  const { text: said, calls, failed: marked } = got as Read;
  if (failed) return marked ? undefined : "the failure is not told";
  // Where refusals have no place of their own, their words are in the text.
  if (refusal(response) === undefined && said !== text(response)) return `the text is ${JSON.stringify(said)}`;
  return response.status === "completed" ? differingCalls(response, calls) : undefined;
}

function differingCalls(response: ResponseResource, calls: Read["calls"]): string | undefined {
  const wanted = functionCalls(response).map(({ name, arguments: json }) => ({ name, input: parsed(json) }));
  // Free-form calls and OpenAI's own local tools may look like functions to a client.
  const got = calls.filter(({ name }) => wanted.some((call) => call.name === name));
  const [ours, theirs] = [wanted, got.map((call) => ({ ...call, input: parsed(call.input) }))].map((list) =>
    JSON.stringify(list),
  );
  return ours === theirs ? undefined : `the calls are ${theirs}, not ${ours}`;
}

/** Arguments as an object: a call without any may say so in several ways. */
function parsed(input: unknown): unknown {
  return (typeof input === "string" ? JSON.parse(input || "{}") : input) ?? {};
}
