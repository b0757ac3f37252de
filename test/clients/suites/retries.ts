import Anthropic from "@anthropic-ai/sdk";
import { AntiphonError, newId } from "antiphon";
import { scripted } from "antiphon/testing";
import OpenAI from "openai";
import { describe, expect } from "vitest";
import { can } from "../support/cell.ts";
import { startAround } from "../support/gateway.ts";

const model = "offline";
const apiKey = "none";
const messages = [{ role: "user" as const, content: "Hello" }];

const clients = {
  "openai 6 · Responses": (url: string) =>
    new OpenAI({ apiKey, baseURL: `${url}/openai/v1` }).responses.create({ model, input: "Hello" }),
  "openai 6 · Chat Completions": (url: string) =>
    new OpenAI({ apiKey, baseURL: `${url}/v1` }).chat.completions.create({ model, messages }),
  "@anthropic-ai/sdk 1 · Messages": (url: string) =>
    new Anthropic({ apiKey, baseURL: url }).messages.create({ model, max_tokens: 9, messages }),
};

describe.each(Object.entries(clients))("%s", (_, ask) => {
  can("errors", "a client waits as long as it is told, and asks again", async () => {
    const tooFast = new AntiphonError("RATE_LIMIT", "Slow down.", { retryAfter: 20 });
    const patient = scripted([tooFast, tooFast, "Hello to you"], { newId });
    const gateway = await startAround(patient);
    expect(JSON.stringify(await ask(gateway.url))).toContain("Hello to you");
    expect(patient.requests).toHaveLength(3);
    await gateway.close();
  });
});
