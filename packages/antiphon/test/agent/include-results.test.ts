import { expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import { codeInterpreter, webSearch } from "../../src/hosted/options.ts";
import { scripted } from "../../src/testing/scripted.ts";

test("asks for what hosted tools leave out unless they are asked", async () => {
  const model = scripted(["Done.", "Done."]);
  const agent = new Agent({ model, tools: [webSearch(), codeInterpreter()], include: ["message.output_text.logprobs"] });
  await agent.send("Search and compute.");
  expect(model.requests[0]?.include).toEqual([
    "message.output_text.logprobs",
    "web_search_call.action.sources",
    "code_interpreter_call.outputs",
  ]);
  await agent.with({ tools: [] }).send("Talk.");
  expect(model.requests[1]?.include).toEqual(["message.output_text.logprobs"]);
});
