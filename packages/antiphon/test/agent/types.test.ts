import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { ReplyStream } from "../../src/agent/reply-stream.ts";
import { looping, run } from "../../src/agent/loop/run.ts";
import { Reply } from "../../src/agent/reply.ts";
import { shellTool } from "../../src/hosted/executors.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { customTool, tool } from "../../src/tools/define.ts";
import type { RunnableTool, ToolContext } from "../../src/tools/tool.ts";

const model = scripted([]);
const city = z.object({ name: z.string(), celsius: z.number(), note: z.string().optional() });
type City = z.output<typeof city>;

interface Session {
  user: string;
}
const needsSession = (_: unknown, { context }: { context: ToolContext<Session> }): string => context.context.user;
const plainTool = tool({ name: "plain", run: () => "" });
const sessionTool = tool({ name: "t", input: city, run: ({ name }, { context }: ToolContext<Session>) => name + context.user });
const textTool = customTool({ name: "text", run: (text, { context }: ToolContext<Session>) => text + context.user });
const approvedTool = tool({
  name: "approved",
  run: () => "",
  approval: (_, { context }: ToolContext<Session>) => context.user === "Ada",
});
const desk = new Agent({ model, instructions: ({ user }: Session) => `You help ${user}.` });

describe("types", () => {
  test("of an output come from its schema, the agent's own or the call's", () => {
    const plain = new Agent({ model });
    const typed = new Agent({ model, output: city });
    expectTypeOf(plain.send).returns.resolves.toEqualTypeOf<Reply>();
    expectTypeOf(typed).toEqualTypeOf<Agent<unknown, City>>();
    const own = () => typed.send("Go.");
    expectTypeOf(own).returns.resolves.toEqualTypeOf<Reply<City>>();
    const other = () => typed.send("Go.", { output: z.array(z.string()), temperature: 0 });
    expectTypeOf(other).returns.resolves.toEqualTypeOf<Reply<string[]>>();
    const json = () => plain.send("Go.", { output: { type: "object" } });
    expectTypeOf(json).returns.resolves.toEqualTypeOf<Reply>();
    const stream = () => plain.stream("Go.", { output: z.union([z.literal("a"), z.number()]) });
    expectTypeOf(stream).returns.toEqualTypeOf<ReplyStream<"a" | number>>();
  });

  test("of an output are those after the schema has transformed it", () => {
    const dated = () =>
      new Agent({ model }).send("Go.", { output: z.object({ at: z.string().transform((text) => new Date(text)) }) });
    expectTypeOf(dated).returns.resolves.toEqualTypeOf<Reply<{ at: Date }>>();
  });

  test("of a partial output have everything optional, and null where the model may leave out", () => {
    const partial = async (stream: ReplyStream<{ city: City; tags: string[] }>) => {
      for await (const part of stream.partial()) return part;
      return undefined;
    };
    expectTypeOf(partial).returns.resolves.exclude<undefined>().toEqualTypeOf<{
      city?: { name?: string; celsius?: number; note?: string | null | undefined };
      tags?: string[];
    }>();
  });

  test("of a tool's input come from its schema", () => {
    tool({ name: "t", input: city, run: (input) => expectTypeOf(input).toEqualTypeOf<City>() });
    tool({ name: "t", input: z.object({ n: z.number().default(1) }), run: ({ n }) => expectTypeOf(n).toEqualTypeOf<number>() });
  });

  test("of the context reach instructions, hooks and calls", () => {
    const agent = new Agent<{ user: string }>({
      model,
      instructions: (context) => {
        expectTypeOf(context).toEqualTypeOf<{ user: string }>();
        return context.user;
      },
      beforeTool: (_, { context }) => {
        expectTypeOf(context).toEqualTypeOf<{ user: string }>();
      },
    });
    // @ts-expect-error: the context must be of the agent's type
    void (() => agent.send("Go.", { context: { user: 5 } }));
    expectTypeOf(agent.with({}).send).toBeCallableWith("Go.", { context: { user: "Ada" } });
    expectTypeOf(agent).toExtend<Agent>();
    expectTypeOf<Agent<{ user: string }, City>>().toExtend<Agent>();
  });

  test("of an output are known beside that of the context", () => {
    const read = new Agent({ model, instructions: ({ user }: Session) => user, output: city });
    expectTypeOf(read).toEqualTypeOf<Agent<Session, City>>();
    const SessionAgent = Agent.withContext<Session>();
    const given = new SessionAgent({ model, output: city, instructions: ({ user }) => user });
    expectTypeOf(given).toEqualTypeOf<Agent<Session, City>>();
    const reply = () => given.send("Go.", { context: { user: "Ada" } });
    expectTypeOf(reply).returns.resolves.toEqualTypeOf<Reply<City>>();
    const other = () => given.send("Go.", { context: { user: "Ada" }, output: z.array(z.string()) });
    expectTypeOf(other).returns.resolves.toEqualTypeOf<Reply<string[]>>();
    expectTypeOf(given.with({ temperature: 0 })).toEqualTypeOf<Agent<Session, City>>();
    expectTypeOf(given.with({ output: z.number() })).toEqualTypeOf<Agent<Session, number>>();
    expectTypeOf(new Agent({ model }).with({ output: city })).toEqualTypeOf<Agent<unknown, City>>();
  });

  test("know the context that tools and agents need", () => {
    const tools = { sessionTool, customTool: textTool, approvedTool, shell: shellTool({ run: needsSession }) };
    expectTypeOf(sessionTool).toEqualTypeOf<RunnableTool<City, Session>>();
    expectTypeOf(tools.customTool).toEqualTypeOf<RunnableTool<string, Session>>();
    expectTypeOf(tools.shell).toExtend<RunnableTool<unknown, Session>>();
    expectTypeOf(plainTool).toExtend<RunnableTool<unknown, Session>>();
    for (const one of Object.values(tools)) expectTypeOf(one).not.toExtend<RunnableTool>();
    expectTypeOf(new Agent({ model, tools: [plainTool, sessionTool] })).toEqualTypeOf<Agent<Session>>();
    expectTypeOf(new Agent({ model, handovers: [new Agent({ model }), desk] })).toEqualTypeOf<Agent<Session>>();
    expectTypeOf(new Agent({ model, tools: [desk.asTool()] })).toEqualTypeOf<Agent<Session>>();
    // @ts-expect-error: nothing gives the tool its context
    void new Agent<unknown>({ model, tools: [sessionTool] });
    // @ts-expect-error: nothing gives the other agent its context
    void new Agent<unknown>({ model, handovers: [desk] });
    // @ts-expect-error: nothing gives the instructions their context
    void new Agent<unknown>({ model, instructions: ({ user }: Session) => user });
    // @ts-expect-error: an agent's tool needs what the agent needs
    const unfit: RunnableTool = desk.asTool();
    void unfit;
  });

  test("ask for the context that a run needs", () => {
    const calls = [
      // @ts-expect-error: the instructions need it
      () => new Agent<Session>({ model, instructions: ({ user }) => user }).send("Go."),
      // @ts-expect-error: the tool needs it
      () => new Agent({ model, tools: [sessionTool] }).send("Go."),
      // @ts-expect-error: also where there are other options
      () => desk.stream("Go.", { temperature: 0 }),
      // @ts-expect-error: also where the call has an output of its own
      () => desk.send("Go.", { output: city }),
      // @ts-expect-error: also where a run goes on
      () => desk.resume(new Reply({} as never)),
      // @ts-expect-error: also in a chat
      () => desk.chat().send("Go."),
      // @ts-expect-error: also in a chat that goes on
      () => desk.chat().resume(),
      // @ts-expect-error: also in the loop alone
      () => run(model, { input: "Go." }, { tools: [sessionTool] }),
      // @ts-expect-error: also in a middleware
      () => looping({ tools: [sessionTool] }),
    ];
    expectTypeOf(calls).toExtend<unknown[]>();
    void (() => run(model, { input: "Go." }, { tools: [sessionTool, plainTool], context: { user: "Ada" } }));
    void (() => looping({ tools: [plainTool] }));
  });

  test("ask for no context where the agent has it already", () => {
    const bound = () => desk.with({ context: { user: "Ada" } });
    expectTypeOf(bound).returns.toExtend<Agent<Session>>();
    void (() => bound().send("Go."));
    void (() => bound().chat().send("Go."));
    void (() =>
      bound()
        .with({ tools: [sessionTool] })
        .send("Go.", { context: { user: "Bob" } }));
    // @ts-expect-error: another context must be of the same type
    void (() => bound().send("Go.", { context: { user: 5 } }));
  });

  test("know every field of the wire, and no other", () => {
    const agent = new Agent({ model, max_output_tokens: 5, service_tier: "flex", reasoning: { effort: "xhigh" } });
    expectTypeOf(agent.reasoning).toExtend<{ effort?: string | null } | null | undefined>();
    // @ts-expect-error: the wire spells it otherwise
    void (() => new Agent({ model, maxOutputTokens: 5 }));
    // @ts-expect-error: there is no such effort
    void new Agent({ model, reasoning: { effort: "much" } });
  });
});
