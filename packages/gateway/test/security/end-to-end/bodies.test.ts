import { execFileSync } from "node:child_process";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ask, serve } from "./support/gateways.ts";

const models = { models: { offline: "offline" } };
const maxBodyBytes = 200_000;
const limits = { maxBodyBytes };
const good = JSON.stringify({ model: "offline", input: "What is 6 * 7?" });
const posts = [
  "POST /v1/responses",
  "POST /openai/v1/responses",
  "POST /v1/chat/completions",
  "POST /v1/messages",
  "POST /v1/embeddings",
  "POST /v1/conversations",
  "POST /v1/responses/compact",
  "POST /v1/responses/input_tokens",
];

/** Whether a body tells of an error in the form of its wire. */
function isError(route: string, text: string): boolean {
  const told = JSON.parse(text) as { type?: unknown; error?: { message?: unknown; type?: unknown } };
  const isTold = typeof told.error?.message === "string" && typeof told.error.type === "string";
  return isTold && (route !== "POST /v1/messages" || told.type === "error");
}

describe("a body that is none", () => {
  const bodies: readonly [string, string | Uint8Array][] = [
    ["nothing", ""],
    ["blanks", " \n\t "],
    ["half of one", good.slice(0, -1)],
    ["more than one", good + good],
    ["a list", "[]"],
    ["nothing at all", "null"],
    ["a number", "1e999"],
    ["a text", '"x"'],
    ["a form", "model=offline&input=Hi"],
    ["what JavaScript allows", "{model:'offline',}"],
    ["a mark before it that is no mark of bytes", `\u0000${good}`],
    ["bad UTF-8", Buffer.from([...Buffer.from('{"model":"offline","input":"'), 0xc3, 0x28, ...Buffer.from('"}')])],
    [
      "half a surrogate pair in UTF-8",
      Buffer.from([...Buffer.from('{"model":"offline","input":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    ],
    ["UTF-16", Buffer.from(good, "utf16le")],
    ["a control character in a text", '{"model":"offline","input":"\u0001"}'],
    ["lists in lists", `{"model":"offline","input":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
    ["objects in objects", `{"model":"offline","x":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`],
    ["lists that never end", "[".repeat(100_000)],
    ["brackets that close what is not open", "]}".repeat(50_000)],
  ];

  test.each(bodies)("is refused on every route: %s", async (_, body) => {
    const { url } = await serve({ ...models, limits });
    for (const route of posts) {
      const { status, text } = await ask(url, route, {}, body);
      expect({ route, status, isError: isError(route, text) }).toEqual({ route, status: 400, isError: true });
    }
  });

  test("with a mark of bytes, fields twice or odd numbers is read as JSON is", async () => {
    const { url } = await serve(models);
    const twice = '{"model":"nobody","model":"offline","input":"No","input":"What is 6 * 7?"}';
    for (const body of [
      `\ufeff${good}`,
      twice,
      '{"model":"offline","input":"What is 6 * 7?","temperature":1E-400,"max_output_tokens":1e2}',
    ]) {
      const { status, text } = await ask(url, "POST /v1/responses", { "content-type": "text/plain" }, body);
      expect({ body, status, text }).toEqual({ body, status: 200, text: expect.stringContaining("42") });
    }
  });
});

/** A zstd frame by hand: a header, and blocks that each repeat a byte. */
function repeating(count: number, size: number, descriptor: number): Uint8Array {
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, descriptor];
  const bytes = new Uint8Array(header.length + 4 * count);
  bytes.set(header);
  for (let block = 0; block < count; block += 1) {
    const head = (block === count - 1 ? 1 : 0) | (1 << 1) | (size << 3);
    bytes.set([head & 0xff, (head >> 8) & 0xff, head >> 16, 0x20], header.length + 4 * block);
  }
  return bytes;
}

const hasZstd = (() => {
  try {
    return execFileSync("zstd", ["--version"]).length > 0;
  } catch {
    return false;
  }
})();

describe("a packed body", () => {
  const huge = Buffer.alloc(50_000_000, " ");
  const bombs: readonly [string, string, Uint8Array][] = [
    ["gzip", "gzip", gzipSync(huge)],
    ["deflate", "deflate", deflateSync(huge)],
    ["brotli", "br", brotliCompressSync(huge)],
    ["zstd", "zstd", repeating(400, 128 * 1024, 0x38)],
  ];

  test.each(bombs)("that would fill the memory is refused: %s", async (_, encoding, body) => {
    const { url } = await serve({ ...models, limits });
    for (const route of posts) {
      const { status, text } = await ask(url, route, { "content-encoding": encoding }, body);
      expect({ route, status, isError: isError(route, text) }).toEqual({ route, status: 413, isError: true });
    }
  });

  const window2G = 21 << 3;
  const window8M = 13 << 3;
  const skipped = Buffer.from("502a4d1800000000", "hex");
  const traps: readonly [string, string, Uint8Array, number][] = [
    ["a window of gigabytes", "zstd", repeating(1, 1, window2G), 400],
    ["blocks that give nothing", "zstd", repeating(40_000, 1, window8M), 400],
    ["a thousand frames", "zstd", Buffer.concat(Array.from({ length: 1_000 }, () => repeating(1, 1, 0))), 400],
    ["a thousand frames to be skipped", "zstd", Buffer.concat(Array.from({ length: 1_000 }, () => skipped)), 400],
    ["half a frame", "zstd", repeating(3, 100, 0).subarray(0, 12), 400],
    ["half of it", "gzip", gzipSync(good).subarray(0, 20), 400],
    ["half of it", "br", brotliCompressSync(good).subarray(0, 20), 400],
    ["something else", "gzip", Buffer.from(good), 400],
    ["something else", "zstd", Buffer.from(good), 400],
    ["something else", "br", Buffer.from(good), 400],
    ["packed twice", "gzip, gzip", gzipSync(gzipSync(good)), 415],
    ["a name that nobody knows", "snappy", Buffer.from(good), 415],
    ["a name of JavaScript's", "constructor", Buffer.from(good), 415],
    ["many names", "gzip,".repeat(1_000), gzipSync(good), 415],
  ];

  test.each(traps)("is refused where it holds %s (%s)", async (_, encoding, body, expected) => {
    const { url } = await serve({ ...models, limits });
    const { status, text } = await ask(url, "POST /v1/responses", { "content-encoding": encoding }, body);
    expect({ status, isError: isError("", text) }).toEqual({ status: expected, isError: true });
  });

  const levels = ["-1", "-3", "-19"];
  const needsZstd = hasZstd ? "" : " (skipped: needs the program zstd)";
  test.skipIf(!hasZstd)(`of zstd is read at every level of compression${needsZstd}`, async () => {
    const { url } = await serve(models);
    // Longer than a block, and than some windows.
    const long = JSON.stringify({ model: "offline", input: `What is 6 * 7?${" ".repeat(9_000_000)}`, metadata: { a: "b" } });
    for (const level of levels)
      for (const text of [good, long]) {
        const body = execFileSync("zstd", [level, "-c"], { input: text, maxBuffer: 10_000_000 });
        const answer = await ask(url, "POST /v1/responses/input_tokens", { "content-encoding": "zstd" }, body);
        expect({ level, ...answer }).toMatchObject({ level, status: 200 });
      }
  });
});

describe("a body that is too large", () => {
  test("is refused in words, also where its client is still sending", async () => {
    const { url } = await serve({ ...models, limits });
    const body = JSON.stringify({ model: "offline", input: "x".repeat(20_000_000) });
    for (const route of posts) {
      const { status, text } = await ask(url, route, {}, body);
      expect({ route, status, isError: isError(route, text) }).toEqual({ route, status: 413, isError: true });
    }
    const stream = new ReadableStream({
      start: (controller) => {
        for (let piece = 0; piece < 100; piece += 1) controller.enqueue(new Uint8Array(100_000));
        controller.close();
      },
    });
    const unmeasured = await fetch(`${url}/v1/responses`, { method: "POST", body: stream, duplex: "half" } as RequestInit);
    expect(unmeasured.status).toBe(413);
  });
});

describe("many items", () => {
  const items = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => ({ role: "user", content: `Item ${index}` }));
  const calls = (count: number): object[] =>
    Array.from({ length: count }, (_, index) => [
      { type: "function_call", call_id: `c${index}`, name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: `c${index}`, output: "1" },
    ]).flat();

  test("are answered up to the limit, and refused beyond it", async () => {
    const { url } = await serve({ ...models, limits: { maxItems: 10_000 } });
    expect(await ask(url, "POST /v1/responses", {}, { model: "offline", input: items(10_000) })).toMatchObject({ status: 200 });
    expect(await ask(url, "POST /v1/responses", {}, { model: "offline", input: calls(5_000) })).toMatchObject({ status: 200 });
    for (const route of ["POST /v1/responses", "POST /v1/responses/compact", "POST /v1/responses/input_tokens"])
      for (const input of [items(10_001), Array.from({ length: 20_000 }, () => ({ id: "x" }))])
        expect({ route, ...(await ask(url, route, {}, { model: "offline", input })) }).toMatchObject({ route, status: 400 });
  });

  test("of one id are told apart as fast as those of many", async () => {
    const { url } = await serve(models);
    const same = calls(10_000).map((item) => ({ ...item, call_id: "c" }));
    const thought = (text: string): object => ({ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text }] });
    const doubles = Array.from({ length: 10_000 }, (_, index) => thought(`${index}`));
    for (const input of [same, [thought("x".repeat(1_000_000)), ...doubles, { role: "user", content: "Hi" }]])
      expect(await ask(url, "POST /v1/responses", {}, { model: "offline", input })).toMatchObject({ status: 200 });
  });

  test("that are none are refused before they are read", async () => {
    const { url } = await serve(models);
    for (const part of ["{}", "[]", '"a":0']) {
      const body = `{"model":"offline","input":[${`${part},`.repeat(2_100_000)}0]}`;
      expect(await ask(url, "POST /v1/responses", {}, body)).toMatchObject({ status: 413 });
    }
  });

  test("of metadata are sixteen, of short texts", async () => {
    const { url } = await serve(models);
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`k${index}`, "v"]));
    for (const metadata of [many, { a: 1 }, { a: "x".repeat(513) }, { ["x".repeat(65)]: "a" }])
      expect(await ask(url, "POST /v1/responses", {}, { model: "offline", input: "Hi", metadata })).toMatchObject({
        status: 400,
      });
  });

  // This measures processor time, which only a long run does reliably.
  const measured = process.env["ANTIPHON_SOAK"] ? Object.entries({ items, calls }) : [];
  test.each(measured)("take time in proportion to their number: %s", async (_, make) => {
    const { url } = await serve({ ...models, store: "memory" });
    const timeOf = async (route: string, body: object): Promise<number> => {
      const text = JSON.stringify(body);
      const before = process.cpuUsage();
      const { status } = await ask(url, route, {}, text);
      expect(status).toBe(200);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    for (const route of ["POST /v1/responses", "POST /v1/responses/input_tokens"]) {
      await timeOf(route, { model: "offline", input: make(1_000) });
      const few = await timeOf(route, { model: "offline", input: make(5_000) });
      const many = await timeOf(route, { model: "offline", input: make(50_000) });
      expect({ route, isLinear: many / few < 40 }).toEqual({ route, isLinear: true });
    }
  });
});

describe("a schema that asks for too much", () => {
  const chain = (make: (next: object) => object): object => ({
    $defs: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`d${index}`, make({ $ref: `#/$defs/d${index + 1}` })])),
    $ref: "#/$defs/d0",
  });
  const deep = {
    type: "array",
    minItems: 1_000,
    items: { type: "array", minItems: 1_000, items: { type: "array", minItems: 1_000 } },
  };
  const schemas: readonly [string, object][] = [
    ["a list of a billion", { type: "array", minItems: 1e9, items: { type: "string" } }],
    ["lists of lists", deep],
    ["a text of a billion letters", { type: "string", minLength: 1e9 }],
    ["a billion properties", { type: "object", minProperties: 1e9 }],
    ["a pattern that never ends", { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(60)}!` }],
    ["a pattern of many choices", { type: "string", pattern: "(a?){60}a{60}" }],
    ["a pattern of many stars", { type: "string", pattern: "a*a*a*a*a*a*a*a*b", default: "a".repeat(5_000) }],
    ["a pattern of many letters", { type: "string", pattern: "((((a{100}){100}){100}){100}){100}" }],
    ["itself", { $ref: "#" }],
    ["itself and more", { allOf: [{ $ref: "#" }], anyOf: [{ $ref: "#" }, { not: { $ref: "#" } }] }],
    ["either of two, forty times", chain((next) => ({ anyOf: [next, next] }))],
    ["one of two, forty times", chain((next) => ({ oneOf: [{ not: next }, next] }))],
    ["both of two, forty times", chain((next) => ({ allOf: [next, next] }))],
    ["two of two, forty times", chain((next) => ({ type: "object", properties: { a: next, b: next }, required: ["a", "b"] }))],
    ["types of JavaScript's", { type: ["constructor", "__proto__", "toString"] }],
  ];

  test.each(schemas)("is filled or refused before long: %s", async (_, schema) => {
    const { url } = await serve(models);
    const tools = [{ type: "function", name: "f", parameters: { type: "object", properties: { x: schema }, required: ["x"] } }];
    for (const asked of [{ text: { format: { type: "json_schema", name: "n", schema } } }, { tools, tool_choice: "required" }]) {
      const { status } = await ask(url, "POST /v1/responses", {}, { model: "offline", input: "Hi", ...asked });
      expect([200, 400]).toContain(status);
    }
  });
});
