import { expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { Respond } from "../../src/core/respond.ts";
import { logger, type LoggerOptions, type LogLine } from "../../src/middleware/logger.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { clock } from "./models.ts";

function logged(options: Omit<LoggerOptions, "log"> = {}, model: Respond = offline()): { respond: Respond; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { respond: logger({ level: "debug", ...options, log: (line) => lines.push(line) })(model), lines };
}

test("one line says that a call began and one how it ended", async () => {
  const time = clock();
  const slow: Respond = (request, call) => ({
    async *[Symbol.asyncIterator]() {
      await time.pass(20);
      for await (const event of offline()(request, call)) {
        if (event.type === "response.completed") await time.pass(30);
        yield event;
      }
    },
  });
  const { respond, lines } = logged({ now: time.now }, slow);
  const { usage } = await collect(respond({ model: "parrot", input: "Hi" }));
  expect(lines).toEqual([
    { event: "start", level: "debug", call: 1, model: "parrot" },
    { event: "end", level: "info", call: 1, model: "parrot", status: "completed", ms: 50, firstMs: 20, usage },
  ]);
});

test("how bad an end is shows in its level", async () => {
  const script = scripted([new AntiphonError("SERVER_ERROR", "No."), new AntiphonError("ABORTED", "Stop.")]);
  const thrown = logged({ level: "info" }, script);
  await collect(thrown.respond({ input: "Hi" })).catch(() => {});
  await collect(thrown.respond({ input: "Hi" })).catch(() => {});
  expect(thrown.lines).toMatchObject([
    { level: "error", status: "thrown", error: { code: "SERVER_ERROR", message: "No." } },
    { level: "warn", status: "thrown", error: { code: "ABORTED" } },
  ]);
  const { respond, lines } = logged({ level: "warn" });
  await collect(respond({ input: "Hi" }));
  await collect(respond({ input: "[[stop]] [[say:One two three]]" }));
  await collect(respond({ input: "[[fail:server_error]] [[say:One two three]]" }));
  for await (const event of respond({ input: "[[long:9]]" })) if (event.type === "response.output_text.delta") break;
  expect(lines).toMatchObject([
    { level: "warn", status: "incomplete" },
    { level: "error", status: "failed", error: { code: "SERVER_ERROR" } },
    { level: "warn", status: "left" },
  ]);
});

test("what was said is logged only when asked for, and headers never", async () => {
  const call = { headers: { authorization: "Bearer key" } };
  const quiet = logged();
  await collect(quiet.respond({ input: "the word is plum", instructions: "no pears" }, call));
  expect(JSON.stringify(quiet.lines)).not.toMatch(/plum|pears|Bearer/);
  const loud = logged({ content: true });
  await collect(loud.respond({ input: "the word is plum", instructions: "no pears" }, call));
  expect(loud.lines).toMatchObject([{ input: "the word is plum", instructions: "no pears" }, { output: [{ type: "message" }] }]);
  expect(JSON.stringify(loud.lines)).not.toContain("Bearer");
});
