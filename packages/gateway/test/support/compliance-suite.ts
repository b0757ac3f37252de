import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenApiCheck } from "../../../../test/support/openapi-check.ts";
import { startGateway, type Served } from "../../src/node.ts";
import { ask, eventsIn, send, SocketClient, type Told } from "./client.ts";
import { catalogueOf, startUpstreams, type Upstreams } from "./upstreams.ts";

/** The kinds of answers that the suite checks. */
export type AnswerKind = "response" | "event" | "compaction" | "socketError";

const wires = ["offline", "responses", "chat", "messages", "gemini"];
const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const weather = {
  type: "function",
  name: "weather",
  description: "Tells the weather in a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const message = (role: string, content: unknown, more: object = {}): object => ({ type: "message", role, content, ...more });
const user = (text: string): object => message("user", text);

const questions: Record<string, object> = {
  "a message": { input: [user("Say hello.")] },
  "assistant messages with a phase": {
    input: [
      message("assistant", "Let me see.", { phase: "commentary" }),
      message("assistant", "It is so.", { phase: "final_answer" }),
      user("And now?"),
    ],
  },
  "a system message": { input: [message("system", "You are a pirate."), user("Hello")] },
  "an image": {
    input: [
      message("user", [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: image },
      ]),
    ],
  },
  "several turns": { input: [user("I am Ada."), message("assistant", "Hello Ada."), user("What is my name?")] },
  "a limit and metadata": {
    input: "Count to a hundred, slowly and with many words",
    max_output_tokens: 16,
    metadata: { a: "b" },
  },
  "a schema": {
    input: "Name a city",
    text: { format: { type: "json_schema", name: "city", schema: { type: "object", properties: { city: { type: "string" } } } } },
  },
};

/** Runs the cases of the specification's own suite, and more, with a model behind every API. Checks all answers with `faultOf`. */
export function complianceSuite(name: string, faultOf: OpenApiCheck<AnswerKind>): void {
  describe(name, () => {
    let upstreams: Upstreams;
    let served: Served;
    beforeAll(async () => {
      upstreams = await startUpstreams();
      served = await startGateway({ port: 0, catalogue: catalogueOf(upstreams.models) });
    });
    afterAll(async () => {
      await served.close();
      await upstreams.close();
    });

    const responses = (): string => `${served.url}/v1/responses`;
    const isWhole = (told: Told): void => {
      expect(faultOf("response", told)).toBeUndefined();
      expect(told.output.length).toBeGreaterThan(0);
    };

    describe.each(wires)("with a model behind %s", (model) => {
      test.each(Object.entries(questions))("with the plain answer to %s", async (_, question) => {
        const told = await ask(responses(), { model, ...question });
        isWhole(told);
        expect(told.status).toMatch(/^(completed|incomplete)$/);
      });

      test.each(Object.entries(questions))("with the stream of the answer to %s", async (_, question) => {
        const response = await send(responses(), { model, ...question, stream: true });
        expect(response.headers.get("content-type")).toContain("text/event-stream");
        const events = eventsIn(await response.text());
        for (const event of events) expect(faultOf("event", event)).toBeUndefined();
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((__, at) => at));
        isWhole(events.at(-1)!.response);
      });

      test("with calls of tools, and with what becomes of them", async () => {
        const asked = { model, tools: [weather], input: [user("What is the weather in Oslo?")] };
        const told = await ask(responses(), asked);
        isWhole(told);
        const call = told.output.find(({ type }) => type === "function_call")!;
        const answered = await ask(responses(), {
          model,
          tools: [weather],
          previous_response_id: told.id,
          input: [{ type: "function_call_output", call_id: call["call_id"], output: "sunny" }],
        });
        isWhole(answered);
        expect(JSON.stringify(answered.output)).toContain("sunny");
      });

      test("with a compaction, and a new chain that begins with it", async () => {
        const input = [message("user", [{ type: "input_text", text: "My name is Ada." }]), message("assistant", "Hello.")];
        const compacted = await ask(`${responses()}/compact`, { model, prompt_cache_key: "k", input });
        expect(faultOf("compaction", compacted)).toBeUndefined();
        expect(compacted.object).toBe("response.compaction");
        expect(compacted.output.map(({ type }) => type)).toContain("compaction");
        const socket = await new SocketClient(responses()).open();
        const events = await socket.turn({ model, store: false, input: [...compacted.output, user("Go on.")], tools: [] });
        isWhole(events.at(-1)!.response);
        socket.close();
      });

      test("with turns on a WebSocket", async () => {
        const socket = await new SocketClient(responses()).open();
        const first = await socket.turn({ model, store: false, input: [user("My name is Ada.")] });
        for (const event of first) expect(faultOf("event", event)).toBeUndefined();
        const { id } = first.at(-1)!.response;
        const second = await socket.turn({ model, store: false, previous_response_id: id, input: [user("What is my name?")] });
        isWhole(second.at(-1)!.response);
        expect(second[0]!.sequence_number).toBe(0);
        expect(JSON.stringify(second.at(-1)!.response.output)).toContain("Ada");
        socket.close();
      });

      test("with a failed continuation, after which the chain is gone", async () => {
        const socket = await new SocketClient(responses()).open();
        const first = await socket.turn({ model, store: false, input: [user("Hello")] });
        const previous_response_id = first.at(-1)!.response.id;
        const orphan = { type: "function_call_output", call_id: "call_nobody_made", output: "x" };
        const [failed] = await socket.turn({ model, store: false, previous_response_id, input: [orphan] });
        expect(faultOf("socketError", failed)).toBeUndefined();
        const [gone] = await socket.turn({ model, store: false, previous_response_id, input: [user("Hello")] });
        expect(gone).toMatchObject({ type: "error", status: 400, error: { code: "previous_response_not_found" } });
        socket.close();
      });

      test("on a new WebSocket, where the chain of the old one is unknown and a fresh turn works", async () => {
        const old = await new SocketClient(responses()).open();
        const { id } = (await old.turn({ model, store: false, input: [user("Hello")] })).at(-1)!.response;
        old.close();
        const socket = await new SocketClient(responses()).open();
        const [lost] = await socket.turn({ model, store: false, previous_response_id: id, input: [user("Hello")] });
        expect(lost!.error.code).toBe("previous_response_not_found");
        isWhole((await socket.turn({ model, store: false, input: [user("Hello")] })).at(-1)!.response);
        socket.close();
      });
    });

    test("a request without any input is rejected", async () => {
      const response = await send(responses(), {});
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { type: "invalid_request", param: "input" } });
    });

    test("a compaction without a model is refused", async () => {
      expect((await send(`${responses()}/compact`, { input: [user("Hello")] })).status).toBe(400);
    });

    test("a request on a WebSocket waits for the one before it", async () => {
      const socket = await new SocketClient(responses()).open();
      socket.send({ type: "response.create", model: "offline", input: "One" });
      socket.send({ type: "response.create", model: "offline", input: "Two" });
      const [first, second] = [await socket.next(), await socket.next()];
      expect(first.map(({ sequence_number }) => sequence_number)).toEqual(first.map((_, at) => at));
      expect(second.map(({ sequence_number }) => sequence_number)).toEqual(second.map((_, at) => at));
      socket.close();
    });

    test.each(["stream", "stream_options", "background"])("a WebSocket message with `%s` is refused", async (field) => {
      const socket = await new SocketClient(responses()).open();
      const [refused] = await socket.turn({ model: "offline", input: "Hello", [field]: true });
      expect(refused).toMatchObject({ type: "error", status: 400, error: { param: field } });
      socket.close();
    });
  });
}
