import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { collect } from "../../src/core/collect.ts";
import { batchesOf, fromBatches, type Respond } from "../../src/core/respond.ts";
import { reuseContainers } from "../../src/hosted/containers.ts";
import { codeInterpreter, shell } from "../../src/hosted/options.ts";
import { user, type CreateResponse, type InputItem, type Item, type ResponseEvent, type Tool } from "../../src/model/index.ts";
import { scripted, type ScriptedTurn } from "../../src/testing/scripted.ts";

const call = (container_id: string): Item => ({
  type: "code_interpreter_call",
  id: `ci_${container_id}`,
  status: "completed",
  code: "x = 1",
  container_id,
  outputs: [],
});
const shellCall = (container_id: string): Item => ({
  type: "shell_call",
  id: "sh_1",
  call_id: "call_1",
  status: "completed",
  action: { commands: ["ls"] },
  environment: { type: "container_reference", container_id },
});
const expired = new AntiphonError("BAD_REQUEST", "Container is expired.", { status: 400 });

/** Asks turn after turn with all items so far, as a run does. */
async function converse(turns: readonly ScriptedTurn[], tool: Tool, more: Tool[] = []) {
  const model = scripted(turns);
  const respond = reuseContainers()(model);
  const input: InputItem[] = [];
  const events: ResponseEvent[] = [];
  for (let turn = 0; turn < turns.length && model.requests.length < turns.length; turn += 1) {
    input.push(user(`turn ${turn}`));
    for await (const event of respond({ input: [...input], tools: [tool, ...more] })) {
      events.push(event);
      if (event.type === "response.completed") input.push(...event.response.output);
    }
  }
  const containers = model.requests.map(
    ({ tools }) => Reflect.get(tools![0]!, "container") ?? Reflect.get(tools![0]!, "environment"),
  );
  return { containers, events, model };
}
const auto = { type: "auto" };

describe("a container", () => {
  test("of one turn is used in the next, and the newest one counts", async () => {
    const { containers } = await converse([[call("cntr_1")], [call("cntr_1"), call("cntr_2")], "Done."], codeInterpreter());
    expect(containers).toEqual([auto, "cntr_1", "cntr_2"]);
  });

  test("of a shell is used again, and shared with code", async () => {
    const { containers } = await converse([[shellCall("cntr_1")], "Done."], shell({ container: "auto" }));
    expect(containers).toEqual([{ type: "container_auto" }, { type: "container_reference", container_id: "cntr_1" }]);
  });

  test("that has expired is replaced once, and the stream says so", async () => {
    const { containers, events } = await converse([[call("cntr_1")], expired, [call("cntr_2")], "Done."], codeInterpreter());
    expect(containers).toEqual([auto, "cntr_1", auto, "cntr_2"]);
    const told = events.filter(({ type }) => type.startsWith("antiphon:"));
    expect(told).toEqual([
      {
        type: "antiphon:container_replaced",
        sequence_number: 0,
        container_id: "cntr_1",
        error: { code: "BAD_REQUEST", message: "Container is expired." },
      },
    ]);
  });

  test("that has expired is replaced also where something out of band was told before", async () => {
    const model = scripted([expired, "Done."]);
    const noisy: Respond = (request, options) => ({
      async *[Symbol.asyncIterator]() {
        yield { type: "antiphon:loss", sequence_number: 0, losses: [] };
        yield* model(request, options);
      },
    });
    const response = await collect(reuseContainers()(noisy)({ input: [call("cntr_1")], tools: [codeInterpreter()] }));
    expect(response.status).toBe("completed");
    expect(model.requests).toHaveLength(2);
  });

  test("that has expired is not tried a second time, also where no new one was made", async () => {
    const { containers } = await converse([[call("cntr_1")], expired, "No code needed.", "Done."], codeInterpreter());
    expect(containers).toEqual([auto, "cntr_1", auto, auto]);
  });

  test.each([
    [new AntiphonError("NOT_FOUND", "Container with id 'cntr_1' not found.")],
    [
      new AntiphonError("BAD_REQUEST", "Invalid 'tools[0].container': 'container_1'. Expected an ID that begins with 'cntr'.", {
        param: "tools[0].container",
      }),
    ],
  ])("that was never there is replaced too: %s", async (error) => {
    const { containers } = await converse([[call("cntr_1")], error, "Done."], codeInterpreter());
    expect(containers).toEqual([auto, "cntr_1", auto]);
  });

  test("is no reason to try again where something else is wrong", async () => {
    const model = scripted([new AntiphonError("BAD_REQUEST", "Unsupported parameter: temperature.")]);
    const asked = reuseContainers()(model)({ input: [call("cntr_1")], tools: [codeInterpreter()] });
    await expect(collect(asked)).rejects.toMatchObject({ message: "Unsupported parameter: temperature." });
    expect(model.requests).toHaveLength(1);
  });

  test("is not taken from the caller who names one, wants a fresh one, or has no such tool", async () => {
    const named = await converse([[call("cntr_1")], "Done."], codeInterpreter({ container: "cntr_9" }));
    expect(named.containers).toEqual(["cntr_9", "cntr_9"]);
    const fresh = await converse([[call("cntr_1")], "Done."], codeInterpreter({ reuse: false }));
    expect(fresh.containers).toEqual([auto, auto]);
  });

  test("is used again where it was made with the files that are wanted, and not where they are others", async () => {
    const withFiles = codeInterpreter({ files: ["file_1", "file_2"] });
    const { containers } = await converse([[call("cntr_1")], "Done."], withFiles);
    expect(containers).toEqual([withFiles.container, "cntr_1"]);
    const model = scripted(["Done."]);
    await collect(reuseContainers()(model)({ input: [call("cntr_1")], tools: [withFiles] }));
    expect(model.requests[0]?.tools).toEqual([withFiles]);
  });

  test.each<[string, CreateResponse]>([
    ["goes on in", { input: [call("cntr_1")], tools: [codeInterpreter()] }],
    ["is made with files", { input: "Hi", tools: [codeInterpreter({ files: ["file_1"] })] }],
  ])("that a request %s is let go of at once when the reader leaves", async (_, request) => {
    let left = false;
    const waiting: Respond = () =>
      fromBatches(() => ({
        next: () => new Promise(() => {}),
        return: async () => ((left = true), { done: true, value: undefined }),
      }));
    const stream = batchesOf(reuseContainers()(waiting)(request));
    void stream.next();
    await stream.return?.();
    expect(left).toBe(true);
  });

  test("of one conversation is never another's", async () => {
    const model = scripted([[call("cntr_1")], "Done."]);
    const respond = reuseContainers()(model);
    await collect(respond({ input: "one", tools: [codeInterpreter()] }));
    await collect(respond({ input: "two", tools: [codeInterpreter()] }));
    expect(model.requests[1]?.tools).toEqual([{ type: "code_interpreter", container: auto }]);
  });
});
