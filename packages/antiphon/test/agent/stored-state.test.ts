import { describe, expect, test } from "vitest";
import { Agent } from "../../src/agent/agent.ts";
import type { SendOptions } from "../../src/agent/agent-options.ts";
import type { ModelChoice } from "../../src/agent/resolve-model.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { Middleware, Respond } from "../../src/core/respond.ts";
import { fallback } from "../../src/middleware/fallback.ts";
import { functionCallOutput, user } from "../../src/model/construct.ts";
import type { CreateResponse, InputItem, Item } from "../../src/model/index.ts";
import { provider } from "../../src/providers/registry.ts";
import { randomFrom, stateful, type Stateful, type StatefulOptions } from "../../src/testing/stateful/index.ts";
import { tool } from "../../src/tools/define.ts";
import { called, said, searched, thought } from "../conversation/support.ts";
import { all, behind } from "./support.ts";

const seeds = Array.from({ length: 40 }, (_, index) => index + 1);
const blobs = "reasoning.encrypted_content";
/** The items of a step in which a tool was called. */
const step = ["reasoning", "function_call", "function_call_output"];

const clock = tool({ name: "clock", input: { type: "object", properties: { n: { type: "number" } } }, run: () => "12:00" });

/** A server as a provider of the Responses API that stores responses, as `openai` is one. */
const known = ({ respond, target }: Stateful): ModelChoice => {
  const preset = { name: target.provider, wire: "responses", stores: true, respond: () => respond };
  return Object.assign({ name: target.provider, model: "gpt-5.2", respond }, { preset });
};
/** The same as a function, about which nothing is known. */
const bare = ({ respond }: Stateful): ModelChoice => respond;

/** A server that reasons, calls a tool twice in turn, and then answers. */
const steps = (options: Partial<StatefulOptions> = {}): Stateful =>
  stateful({
    answer: ({ newId, seal, context }) => {
      const id = newId("rs");
      const reasoning = thought(id, { summary: [{ type: "summary_text", text: "Hm." }], ...sealed(seal(id)) });
      const made = context.filter(({ type }) => type === "function_call").length;
      return [reasoning, made < 2 ? called(newId("call"), { id: newId("fc") }) : said("Noon.", newId("msg"))];
    },
    ...options,
  });
const sealed = (blob: string | undefined): object => (blob === undefined ? {} : { encrypted_content: blob });

const itemsOf = ({ input }: CreateResponse): readonly InputItem[] => (Array.isArray(input) ? input : []);
const has = (type: string, request: CreateResponse | undefined): boolean =>
  request !== undefined && itemsOf(request).some((item) => item.type === type);

/** The recoveries that a run reported. */
const recovered = async (agent: Agent, input: string | InputItem[], options: SendOptions = {}): Promise<unknown[]> =>
  (await all(agent.stream(input, options))).flatMap((event) =>
    event.type === "antiphon:recovered" ? [Reflect.get(event, "recovery")] : [],
  );

/** Notes why a server rejects requests. */
const watched = (server: Stateful, rejected: unknown[]): Stateful => ({
  ...server,
  respond: (request, call) => {
    const error = server.check(request);
    if (error) rejected.push(error.message);
    return server.respond(request, call);
  },
});

/** Fails now and then before its answer, so that a fallback takes over. */
const unsteady =
  (seed: number): Middleware =>
  (next) => {
    const random = randomFrom(seed);
    return (request, call) => {
      if (random() < 0.5) throw new AntiphonError("SERVER_OVERLOADED", "Not now.", { status: 529 });
      return next(request, call);
    };
  };

describe.each([
  ["a known provider", known],
  ["a function", bare],
])("of %s", (_, modelOf) => {
  describe.each([[false], [undefined], [true]])("with `store` %s", (store) => {
    const options = store === undefined ? {} : { store };

    test.each(["agent", "chat"])("every run with tools of the kind %s succeeds", async (kind) => {
      for (const seed of seeds) {
        const server = stateful({ seed });
        const rejected: unknown[] = [];
        const agent = new Agent({ model: modelOf(watched(server, rejected)), tools: [clock], ...options });
        const chat = kind === "chat" ? agent.chat() : agent;
        const first = await chat.send("What is the time?");
        expect(first.finish).toBe("stop");
        const next = kind === "chat" ? "And now?" : [...first.history, user("And now?")];
        expect((await chat.send(next)).finish).toBe("stop");
        expect(rejected).toEqual([]);
      }
    });

    test.each(["agent", "chat"])("every run of the kind %s succeeds that another provider takes over at times", async (kind) => {
      for (const seed of seeds) {
        const [first, second] = [stateful({ name: "first", seed }), stateful({ name: "second", seed: seed + 100 })];
        const model = modelOf({ ...first, respond: fallback([second.respond])(unsteady(seed)(first.respond)) });
        const agent = new Agent({ model, tools: [clock], ...options });
        const chat = kind === "chat" ? agent.chat() : agent;
        const reply = await chat.send("What is the time?");
        expect(reply.finish).toBe("stop");
        const next = kind === "chat" ? "And now?" : [...reply.history, user("And now?")];
        expect((await chat.send(next)).finish).toBe("stop");
      }
    });
  });
});

describe("an agent with `store: false`", () => {
  const off = { tools: [clock], store: false } as const;

  test.each([
    ["a known provider", known],
    ["a function", bare],
  ])("requests encrypted reasoning of %s, and sends it back without ids that the server does not know", async (_, modelOf) => {
    const server = steps();
    const agent = new Agent({ model: modelOf(server), ...off });
    expect(await recovered(agent, "What is the time?")).toEqual([]);
    expect(server.requests).toHaveLength(3);
    for (const request of server.requests) expect(request).toMatchObject({ store: false, include: [blobs] });
    const items = itemsOf(server.requests[2]!);
    expect(items.map(({ type }) => type)).toEqual(["message", ...step, ...step]);
    for (const item of items) {
      if (item.type === "reasoning") expect(item).toMatchObject({ encrypted_content: expect.any(String) });
      if (item.type === "function_call") expect(item).not.toHaveProperty("id");
    }
  });

  test("does so with the caller's own `include`", async () => {
    const server = steps();
    const include = [blobs, "message.output_text.logprobs"] as const;
    expect((await new Agent({ model: known(server), ...off, include: [...include] }).send("Time?")).text).toBe("Noon.");
    for (const request of server.requests) expect(request.include).toEqual(include);
  });

  test("does so over HTTP", async () => {
    const server = steps();
    const { baseUrl } = await behind("responses", server.respond);
    const model = provider("openai:gpt-5.2", { baseUrl, apiKey: "test" });
    expect((await new Agent({ model, ...off }).send("Time?")).text).toBe("Noon.");
    expect(server.requests).toHaveLength(3);
    expect(server.requests[0]?.include).toContain(blobs);
  });

  test("does so as a model, and in a run that is resumed from JSON", async () => {
    const server = steps();
    const careful = tool({ name: "clock", approval: true, run: () => "12:00" });
    const agent = new Agent({ model: known(server), store: false, tools: [careful] });
    let reply = await agent.send("Time?");
    while (reply.pending.length > 0) {
      const decisions = Object.fromEntries(reply.pending.map(({ call_id }) => [call_id, { action: "continue" as const }]));
      reply = await agent.resume(JSON.parse(JSON.stringify(reply)), { decisions });
    }
    expect(reply.text).toBe("Noon.");
    const events = await all(agent.respond({ input: [...reply.history, user("Sure?")], tools: [] }));
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("asks a model that is known not to reason for nothing", async () => {
    const server = stateful({ reasons: false, answer: ({ newId }) => [said("Noon.", newId("msg"))] });
    const model = { name: "test", model: "gpt-4o", respond: server.respond };
    expect(await recovered(new Agent({ model, ...off }), "Time?")).toEqual([]);
    expect(server.requests.map(({ include }) => include)).toEqual([undefined]);
  });

  test("does without encrypted reasoning where the server has none", async () => {
    const server = steps({ reasons: false });
    const agent = new Agent({ model: bare(server), ...off });
    expect(await recovered(agent, "Time?")).toEqual(["blobs-refused"]);
    expect(server.requests.map(({ include }) => include ?? [])).toEqual([[blobs], [], [], []]);
  });

  test("goes on from a stored response of the caller's", async () => {
    const server = stateful({
      answer: ({ newId, seal, context }) => {
        if (context.length < 2) return [called("call_1", { id: newId("fc") })];
        const id = newId("rs");
        const isAnswered = context.filter(({ type }) => type === "function_call_output").length > 1;
        return [thought(id, sealed(seal(id))), isAnswered ? said("Noon.", newId("msg")) : called("call_2", { id: newId("fc") })];
      },
    });
    const [stored] = (await all(server.respond({ input: "Time?" }))).slice(-1);
    const previous_response_id = String(Reflect.get(Reflect.get(stored!, "response") as object, "id"));
    const agent = new Agent({ model: known(server), ...off, previous_response_id });
    expect((await agent.send([functionCallOutput("call_1", "11:00")])).text).toBe("Noon.");
    expect(server.requests[2]).toMatchObject({ previous_response_id, store: false });
    expect(server.requests[2]?.input).toMatchObject([{ call_id: "call_1" }, { type: "reasoning" }, { call_id: "call_2" }, {}]);
  });

  test("keeps what a step's `prepareStep` leaves out of the input away from the model", async () => {
    const server = steps();
    const prepareStep = (_: unknown, { input }: CreateResponse): CreateResponse => ({
      input: [...(input ?? [])].slice(-3) as InputItem[],
    });
    await new Agent({ model: known(server), ...off, prepareStep }).send("Time?");
    expect(itemsOf(server.requests[2]!).map(({ type }) => type)).toEqual(step);
  });
});

describe("an agent whose responses are stored", () => {
  test("sends its input as it is, ids included, and asks for no encrypted reasoning", async () => {
    const server = steps();
    const agent = new Agent({ model: known(server), tools: [clock] });
    expect(await recovered(agent, "Time?")).toEqual([]);
    const items = itemsOf(server.requests[2]!);
    const made = step.slice(0, 2);
    expect(items.flatMap(({ type, id }) => (typeof id === "string" ? [type] : []))).toEqual([...made, ...made]);
    for (const request of server.requests) {
      expect(request).not.toHaveProperty("include");
      expect(request).not.toHaveProperty("store");
      expect(request).not.toHaveProperty("previous_response_id");
    }
  });

  test("does as with `store: false` where the provider reports that it stores nothing", async () => {
    const server = steps();
    const zeroRetention: Respond = (request, call) => server.respond({ ...request, store: false }, call);
    const agent = new Agent({ model: known({ ...server, respond: zeroRetention }), tools: [clock] });
    expect(await recovered(agent, "Time?")).toEqual([]);
    expect(server.requests.map(({ include }) => include ?? [])).toEqual([[], [blobs], [blobs]]);
    expect(has("reasoning", server.requests[2])).toBe(true);
  });

  test("sends everything in its plainest form where the provider has lost the items", async () => {
    const server = steps();
    const agent = new Agent({ model: known(server), tools: [clock] });
    const { history } = await agent.send("Time?");
    server.forget();
    const copy: InputItem[] = JSON.parse(JSON.stringify(history));
    expect(await recovered(agent, [...copy, user("And now?")])).toEqual(["items-refused"]);
  });
});

describe("encrypted reasoning of another provider", () => {
  const off = { tools: [clock], store: false } as const;

  test("is left out after a hand-over", async () => {
    const [desk, billing] = [steps({ name: "desk" }), steps({ name: "billing" })];
    const transfer = stateful({
      name: "desk",
      answer: ({ newId, seal }) => {
        const id = newId("rs");
        return [thought(id, sealed(seal(id))), called("t1", { id: newId("fc"), name: "transfer_to_billing" })];
      },
    });
    const other = new Agent({ name: "billing", model: known(billing), ...off });
    const first = new Agent({ name: "desk", model: known({ ...desk, respond: transfer.respond }), ...off, handovers: [other] });
    expect(await recovered(first, "Money, please.")).toEqual([]);
    expect(has("reasoning", billing.requests[0])).toBe(false);
    expect(has("reasoning", billing.requests[1])).toBe(true);
  });

  test("is left out when a fallback has answered, and when the agent's model has changed", async () => {
    const [first, second] = [steps({ name: "first" }), steps({ name: "second" })];
    let down = true;
    const unsteady: Respond = (request, call) => {
      if (down) throw new AntiphonError("SERVER_OVERLOADED", "Not now.", { status: 529 });
      return first.respond(request, call);
    };
    const back: Respond = (request, call) => {
      down = false;
      return second.respond(request, call);
    };
    const agent = new Agent({ model: known({ ...first, respond: fallback([back])(unsteady) }), ...off });
    expect(await recovered(agent, "Time?")).toEqual([]);
    expect(second.requests).toHaveLength(1);
    expect(first.requests).toHaveLength(2);
    const reply = await agent.send("Time?");
    const third = steps({ name: "third" });
    agent.model = known(third);
    expect(await recovered(agent, [...reply.history, user("And now?")])).toEqual([]);
    expect(has("reasoning", third.requests[0])).toBe(false);
  });

  test("is left out after the provider rejected it, where nobody knows who made it", async () => {
    const [first, second] = [steps({ name: "first" }), steps({ name: "second" })];
    const { history } = await new Agent({ model: known(first), ...off }).send("Time?");
    const copy: InputItem[] = JSON.parse(JSON.stringify(history));
    const agent = new Agent({ model: known(second), ...off });
    expect(await recovered(agent, [...copy, user("And now?")])).toEqual(["blobs-refused"]);
    expect(second.requests).toHaveLength(2);
  });

  test("goes with its search as text", async () => {
    const search: Item = searched("ws_1");
    const other = stateful({
      name: "other",
      answer: ({ newId, seal }) => {
        const id = newId("rs");
        return [thought(id, sealed(seal(id))), search, said("Found.", newId("msg"))];
      },
    });
    const { history } = await new Agent({ model: known(other), store: false }).send("Search.");
    const server = steps();
    await new Agent({ model: known(server), ...off }).send([...history, user("Time?")]);
    expect(itemsOf(server.requests[0]!).map(({ type }) => type)).toEqual(["message", "message", "message", "message"]);
  });
});
