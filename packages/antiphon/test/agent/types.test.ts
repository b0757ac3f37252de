import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Agent } from "../../src/agent/agent.ts";
import type { ReplyStream } from "../../src/agent/reply-stream.ts";
import type { Reply } from "../../src/agent/reply.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { tool } from "../../src/tools/define.ts";

const model = scripted([]);
const city = z.object({ name: z.string(), celsius: z.number(), note: z.string().optional() });
type City = z.output<typeof city>;

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
    expectTypeOf(agent).toExtend<Agent>();
    expectTypeOf<Agent<{ user: string }, City>>().toExtend<Agent>();
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
