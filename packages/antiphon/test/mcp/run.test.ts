import { expect, test } from "vitest";
import { run } from "../../src/agent/loop/run.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { stdioServer } from "./servers.ts";

const call = (call_id: string, name: string, input: object = {}) =>
  ({ type: "function_call", call_id, name, arguments: JSON.stringify(input) }) as const;

test("an agent uses a server's tools like its own: progress, pictures, failures and all", async () => {
  const server = stdioServer({ prefix: "test", allow: ["count", "draw", "fail"] });
  const calls = [call("call_1", "test_count", { to: 2 }), call("call_2", "test_draw"), call("call_3", "test_fail")];
  const model = scripted([calls, "Done."]);
  const events: ResponseEvent[] = [];
  for await (const event of run(model, { input: "Go." }, { tools: [server] })) events.push(event);
  expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  expect(model.requests[0]?.tools).toMatchObject([
    { name: "test_draw" },
    { name: "test_fail" },
    { name: "test_count", strict: true },
  ]);
  expect(model.requests[1]?.input).toMatchObject([
    { role: "user" },
    { type: "function_call" },
    { type: "function_call" },
    { type: "function_call" },
    { call_id: "call_1", output: "counted" },
    { call_id: "call_2", output: [{ type: "input_text" }, { type: "input_image" }, {}, {}, {}, {}] },
    { call_id: "call_3", output: "Error: The disk is full." },
  ]);
  expect(events.find(({ type }) => type === "antiphon:tool_progress")).toMatchObject({
    call_id: "call_1",
    data: { progress: 1, total: 2 },
  });
});
