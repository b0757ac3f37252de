import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MaskOptions } from "../../src/core/mask.ts";
import { maskExchange } from "../../src/testing/mask-exchange.ts";
import type { Exchange } from "../../src/testing/tape.ts";

/** Keys in the shape in which their makers hand them out; none of them is one. */
const keys = {
  openai: "sk-proj-abcdEFGH1234ijklMNOP5678",
  anthropic: "sk-ant-api03-AbCdEfGh_1234567890-xyz",
  gemini: "AIzaSyA1234567890abcdefghijklmnopqrstuv",
  groq: "gsk_1234567890abcdefghijABCDEFGHIJ",
  xai: "xai-1234567890abcdefghijABCDEFGHIJ",
  huggingFace: "hf_abcdefghijABCDEFGHIJ1234567890",
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJlLXBhcnQ",
  aws: "AKIAIOSFODNN7EXAMPLE",
  github: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
} as const;
/** A key of no known shape: only where it stands gives it away. */
const odd = "7Qw-local_key.99";

const blank = (): Exchange => ({
  request: {
    method: "POST",
    url: "https://api.example.com/v1/responses",
    headers: { "content-type": "application/json" },
    body: "{}",
  },
  response: { status: 200, headers: { "content-type": "application/json" }, body: "{}" },
});

type Place = (exchange: Exchange, key: string) => void;
/** Places where whatever stands is a secret. */
const named: Record<string, Place> = {
  "the authorization header": ({ request }, key) => (request.headers["authorization"] = `Bearer ${key}`),
  "the api-key header": ({ request }, key) => (request.headers["api-key"] = key),
  "the x-api-key header": ({ request }, key) => (request.headers["X-Api-Key"] = key),
  "the x-goog-api-key header": ({ request }, key) => (request.headers["x-goog-api-key"] = key),
  "the proxy-authorization header": ({ request }, key) => (request.headers["proxy-authorization"] = `Basic ${key}`),
  "the cookie header": ({ request }, key) => (request.headers["cookie"] = `session=${key}`),
  "the set-cookie header": ({ response }, key) => (response!.headers["set-cookie"] = `session=${key}; Path=/`),
  "the key parameter": ({ request }, key) => (request.url += `?alt=sse&key=${key}`),
  "the token parameter": ({ request }, key) => (request.url += `?token=${key}#top`),
  "the URL's credentials": ({ request }, key) => (request.url = request.url.replace("://", `://me:${key}@`)),
  "a JSON field of the request": ({ request }, key) =>
    (request.body = JSON.stringify({ tools: [{ type: "mcp", authorization: key }] })),
  "a nested header in the request": ({ request }, key) =>
    (request.body = JSON.stringify({ tools: [{ headers: { "X-Api-Key": key } }] })),
  "JSON inside a JSON string": ({ request }, key) =>
    (request.body = JSON.stringify({ arguments: JSON.stringify({ api_key: key, x: 1 }) })),
  "a JSON field of the answer": ({ response }, key) => (response!.body = JSON.stringify({ client_secret: key })),
  "a JSON field that was cut off": ({ response }, key) => (response!.body = `{"access_token":"${key}`),
  "a link in the answer": ({ response }, key) =>
    (response!.body = `data: {"url":"https://example.com/f?id=1\\u0026sig=${key}"}\n\n`),
};
/** Places where a key is known by its looks alone. */
const anywhere: Record<string, Place> = {
  "the prompt": ({ request }, key) => (request.body = JSON.stringify({ input: `my key:\n${key}\tis it` })),
  "the answer": ({ response }, key) =>
    (response!.body = JSON.stringify({ error: { message: `Incorrect API key provided: ${key}.` } })),
  "an event": ({ response }, key) => (response!.body = `event: x\ndata: {"delta":"${key}"}\n\n`),
  "another header": ({ response }, key) => (response!.headers["x-debug"] = `key=${key}`),
  "an error's message": (exchange, key) => (exchange.error = { code: "AUTH_ERROR", message: `Refused ${key}` }),
  "the path": ({ request }, key) => (request.url += `/${key}/x`),
};

const maskedText = (plant: Place, key: string, options?: MaskOptions): string => {
  const exchange = blank();
  plant(exchange, key);
  return JSON.stringify(maskExchange(exchange, options));
};

describe("masking", () => {
  for (const [place, plant] of Object.entries({ ...named, ...anywhere }))
    it.each(Object.entries(keys))(`hides in ${place} a key of %s`, (_, key) => {
      expect(maskedText(plant, key)).not.toContain(key.slice(8, 16));
    });

  it.each(Object.entries(named))("hides in %s a key of no known shape", (_, plant) => {
    expect(maskedText(plant, odd)).not.toContain(odd);
  });

  it.each(Object.entries(anywhere))("hides in %s the key that the request was sent with, whatever its shape", (_, plant) => {
    for (const header of ["authorization", "x-api-key"] as const) {
      const both: Place = (exchange, key) => {
        exchange.request.headers[header] = header === "authorization" ? `Bearer ${key}` : key;
        plant(exchange, key);
      };
      expect(maskedText(both, odd)).not.toContain(odd);
    }
  });

  it("hides what the caller names and what its patterns match", () => {
    const plant: Place = ({ request }) => {
      request.headers["x-tenant"] = "acme";
      request.body = JSON.stringify({ patient: "Jane Roe", note: "ward 12" });
    };
    const text = maskedText(plant, "", { names: ["X-Tenant", "patient"], patterns: [/ward \d+/] });
    for (const secret of ["acme", "Jane Roe", "ward 12"]) expect(text).not.toContain(secret);
  });

  it("leaves alone what is no secret", () => {
    const exchange = blank();
    exchange.request.headers["authorization"] = "Bearer ollama";
    exchange.request.url += "?api-version=2026-01-01&alt=sse";
    exchange.request.body = JSON.stringify({
      model: "ollama/llama",
      input: "The bearer of bad news; a task-force; risk-averse",
      max_output_tokens: 5,
    });
    exchange.response!.headers = { "x-ratelimit-remaining-tokens": "1999", "x-request-id": "req_123456789012" };
    exchange.response!.body = JSON.stringify({
      id: "resp_0123456789abcdef",
      encrypted_content: "gAAAAABo-sk-abcdefghijk_xai-abcdefghijklmnop",
      logprobs: [{ token: "Hello" }],
    });
    const masked = maskExchange(exchange);
    expect(masked.request.headers["authorization"]).toBe("***");
    expect({ ...masked, request: { ...masked.request, headers: {} } }).toEqual({
      ...exchange,
      request: { ...exchange.request, headers: {} },
    });
  });

  it("keeps JSON readable, and does nothing a second time", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(...Object.values(keys)), (json, key) => {
        const exchange = blank();
        exchange.request.headers["authorization"] = `Bearer ${key}`;
        exchange.request.body = JSON.stringify({ value: JSON.parse(json), text: key, api_key: `${key} "quoted"` });
        const once = maskExchange(exchange);
        expect(() => JSON.parse(once.request.body ?? "")).not.toThrow();
        expect(maskExchange(once)).toEqual(once);
      }),
    );
  });

  it("does not touch a body that is no text", () => {
    const exchange = blank();
    exchange.response = { status: 200, headers: {}, body: "c2stcHJvai1hYmNkRUZHSA==", encoding: "base64" };
    expect(maskExchange(exchange).response?.body).toBe("c2stcHJvai1hYmNkRUZHSA==");
  });
});
