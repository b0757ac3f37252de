import { expect, test } from "vitest";
import { SseParser } from "../../src/transport/sse.ts";
import { testCtx } from "../support/ctx.ts";
import { wireNames, wires } from "./chain.ts";

test("V12: separators of lines and paragraphs inside JSON do not split an event", () => {
  const data = '{"text":"a\u2028b\u2029c\u0085d"}';
  const frames = new SseParser().push(new TextEncoder().encode(`data:${data}\r\n\r\n`));
  expect(frames).toEqual([data]);
});

test("V15: stream options are taken from a client of Responses, and sent on where the wire has them", () => {
  const body = { model: "m", input: "Hi", stream: true, stream_options: { include_obfuscation: false } };
  const request = wires.responses.server.decodeRequest(body);
  expect(wires.responses.codec.encodeRequest(testCtx(request)).body).toEqual(body);
  const told = wireNames.filter((name) =>
    JSON.stringify(wires[name].codec.encodeRequest(testCtx(request)).body).includes("obfuscation"),
  );
  expect(told).toEqual(["responses", "chat"]);
});
