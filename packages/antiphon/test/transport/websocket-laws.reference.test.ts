import { expect, test } from "vitest";
import { responsesRecordings } from "../support/recordings.ts";
import { runs } from "../support/runs.ts";
import { sseValues } from "../support/sse-values.ts";
import { expectSocketParity } from "./support/socket-parity.ts";

test("recorded streams give the same events over a socket as over HTTP", async () => {
  const some = responsesRecordings().filter(({ stream, status }) => stream && status === 200);
  const stride = Math.max(1, Math.floor(some.length / runs(25, some.length)));
  const streams = some
    .filter((_, index) => index % stride === 0)
    .map(({ id, body }) => ({ id, values: sseValues(body()) as { type: string }[] }))
    // A socket sends nothing after an `error`.
    .filter(({ values }) => !values.some(({ type }) => type === "error"));
  expect(streams.length).toBeGreaterThan(10);
  for (const { id, values } of streams) await expectSocketParity(id, values);
});
