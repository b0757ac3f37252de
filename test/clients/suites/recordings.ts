import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenResponses } from "@ai-sdk/open-responses";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { functionCalls, refusal, text, type ResponseResource } from "antiphon";
import OpenAI6 from "openai";
import OpenAI7 from "openai7";
import { describe, expect } from "vitest";
import { can } from "../support/capabilities.ts";
import { haveRecordings, recordedStreams, replaying, type Recorded } from "../support/recorded.ts";
import { all, serve } from "../support/serve.ts";

type Fetch = typeof globalThis.fetch;

/** What a client made of an answer. */
interface Read {
  text: string;
  calls: { name: string; input: unknown }[];
  failed?: boolean;
}

interface Client {
  /** Asks and reads a stream; one that failed throws, or is marked. */
  read(fetch: Fetch): Promise<Read>;
  /** Kinds of items and annotations that the client throws at, each of them OpenAI's own. */
  throwsAt?: readonly string[];
}

const model = "recorded";
const input = "Hello";
const apiKey = "none";
const messages = [{ role: "user" as const, content: input }];

// The two majors have types of their own, and the same methods: the older types speak for both.
const OpenAI7As6 = OpenAI7 as unknown as typeof OpenAI6;
const openai = (OpenAI: typeof OpenAI6, fetch: Fetch) => new OpenAI({ apiKey, baseURL: "http://local/v1", fetch, maxRetries: 0 });

const responses = (OpenAI: typeof OpenAI6) => async (fetch: Fetch): Promise<Read> => {
  const { status, output, output_text } = await openai(OpenAI, fetch).responses.stream({ model, input }).finalResponse();
  const calls = output.flatMap((item) => (item.type === "function_call" ? [{ name: item.name, input: item.arguments }] : []));
  return { text: output_text, calls, failed: status === "failed" };
};

const chat = (OpenAI: typeof OpenAI6) => async (fetch: Fetch): Promise<Read> => {
  const message = await openai(OpenAI, fetch).chat.completions.stream({ model, messages }).finalMessage();
  const calls = (message.tool_calls ?? []).map((call) =>
    call.type === "function"
      ? { name: call.function.name, input: call.function.arguments }
      : { name: call.custom.name, input: call.custom.input },
  );
  return { text: message.content ?? "", calls };
};

async function anthropic(fetch: Fetch): Promise<Read> {
  const client = new Anthropic({ apiKey, baseURL: "http://local", fetch, maxRetries: 0 });
  const { content } = await client.messages.stream({ model, max_tokens: 100, messages }).finalMessage();
  return {
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: content.flatMap((block) => (block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [])),
  };
}

async function google(fetch: Fetch): Promise<Read> {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: "http://local", fetch } });
  const chunks = await all(await client.models.generateContentStream({ model, contents: input }));
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return {
    text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
    calls: parts.flatMap(({ functionCall: call }) => (call ? [{ name: call.name ?? "", input: call.args }] : [])),
  };
}

type Model = ReturnType<ReturnType<typeof createOpenAI>["responses"]>;

/** The providers of the AI SDK, without the SDK: each checks every chunk against a schema, and tells what does not fit. */
const aiSdk = (modelOf: (fetch: Fetch) => Model) => async (fetch: Fetch): Promise<Read> => {
  const { stream } = await modelOf(fetch).doStream({ prompt: [{ role: "user", content: [{ type: "text", text: input }] }] });
  const read: Read = { text: "", calls: [] };
  for await (const part of stream as unknown as AsyncIterable<Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer T> ? T : never>) {
    if (part.type === "error") throw part.error instanceof Error ? part.error : new Error(JSON.stringify(part.error));
    if (part.type === "text-delta") read.text += part.delta;
    if (part.type === "tool-call") read.calls.push({ name: part.toolName, input: part.input });
    if (part.type === "finish" && part.finishReason.unified === "error") read.failed = true;
  }
  return read;
};

const clients: Record<string, Client> = {
  "openai 6 · Responses": { read: responses(OpenAI6), throwsAt: ["apply_patch_call", "shell_call"] },
  "openai 7 · Responses": { read: responses(OpenAI7As6), throwsAt: ["apply_patch_call"] },
  "openai 6 · Chat Completions": { read: chat(OpenAI6), throwsAt: ["custom_tool_call"] },
  "openai 7 · Chat Completions": { read: chat(OpenAI7As6) },
  "@anthropic-ai/sdk 1 · Messages": { read: anthropic },
  "@google/genai 2 · generateContent": { read: google },
  "@ai-sdk/openai 3 · Responses": {
    read: aiSdk((fetch) => createOpenAI({ apiKey, baseURL: "http://local/v1", fetch }).responses(model)),
    throwsAt: ["mcp_call"],
  },
  "@ai-sdk/openai 3 · Chat Completions": {
    read: aiSdk((fetch) => createOpenAI({ apiKey, baseURL: "http://local/v1", fetch }).chat(model)),
    throwsAt: ["custom_tool_call"],
  },
  "@ai-sdk/open-responses 1 · Open Responses": {
    read: aiSdk((fetch) => createOpenResponses({ name: "local", url: "http://local/or/v1/responses", fetch })(model)),
  },
  "@ai-sdk/anthropic 3 · Messages": {
    read: aiSdk((fetch) => createAnthropic({ apiKey, baseURL: "http://local/v1", fetch })(model)),
  },
  "@ai-sdk/google 3 · generateContent": {
    read: aiSdk((fetch) => createGoogleGenerativeAI({ apiKey, baseURL: "http://local/v1beta", fetch })(model)),
  },
};

const streams = recordedStreams();

describe.skipIf(!haveRecordings).each(Object.entries(clients))("%s", (_, { read, throwsAt = [] }) => {
  const readable = streams.filter(({ response }) => !response.output.some(({ type }) => throwsAt.includes(type)));

  can("recordings", `${readable.length} recorded streams of every wire arrive whole`, async () => {
    const findings: string[] = [];
    for (const recorded of readable) {
      const finding = await differenceIn(recorded, read);
      if (finding) findings.push(`${recorded.id}: ${finding}`);
    }
    expect(findings).toEqual([]);
  });
});

/** What a client read otherwise than we do, if it did. */
async function differenceIn(recorded: Recorded, read: Client["read"]): Promise<string | undefined> {
  const { response } = recorded;
  const got = await read(serve(replaying(recorded)).fetch).catch((error: unknown) => error);
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
  const [ours, theirs] = [wanted, got.map((call) => ({ ...call, input: parsed(call.input) }))].map((list) => JSON.stringify(list));
  return ours === theirs ? undefined : `the calls are ${theirs}, not ${ours}`;
}

/** Arguments as an object: a call without any may say so in several ways. */
function parsed(input: unknown): unknown {
  return (typeof input === "string" ? JSON.parse(input || "{}") : input) ?? {};
}
