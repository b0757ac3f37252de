import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { contextManager } from "../../src/conversation/context.ts";
import type { CompactRequest, ContextOptions } from "../../src/conversation/context-options.ts";
import { Log } from "../../src/conversation/log.ts";
import type { Target } from "../../src/conversation/log-records.ts";
import { plan } from "../../src/conversation/plan.ts";
import { functionCallOutput, user } from "../../src/model/construct.ts";
import type { InputItem } from "../../src/model/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { conversation, model, target, wordsIn } from "./context-support.ts";

const words = (count: number): string => Array.from({ length: count }, () => "word").join(" ");
const question = (index: number): string => `Question ${index}: ${words(96)}`;

describe("a provider that can compact", () => {
  /** A provider's compaction: it keeps what the user said and seals the rest. */
  const native = () => {
    const asked: CompactRequest[] = [];
    const compactNatively = async (request: CompactRequest): Promise<InputItem[]> => {
      asked.push(request);
      return [{ type: "compaction", id: `cmp_${asked.length}`, encrypted_content: `sealed ${request.input.length}` }];
    };
    return { asked, compactNatively };
  };

  test("does so, and what it gives goes to the head of the input, with the recent messages after it", async () => {
    const { asked, compactNatively } = native();
    const talk = model("Fine.");
    const { say, told, log } = conversation(talk.respond, { budget: 2_000, keep: 0, compactNatively });
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1)
      await say(question(turn), { instructions: "Be kind." });
    expect(asked).toMatchObject([{ model: "m", instructions: "Be kind." }]);
    expect(talk.summaries).toEqual([]);
    const { input, instructions } = talk.requests.at(-1)!;
    expect((input as InputItem[])[0]).toMatchObject({ type: "compaction", encrypted_content: expect.stringContaining("sealed") });
    expect(input).toHaveLength(7);
    expect(instructions).toBe("Be kind.");
    expect(log.compacted?.origin).toEqual({ provider: "acme", endpoint: target.endpoint, model: "m" });
  });

  test("is given its own blob back when it compacts again", async () => {
    const { asked, compactNatively } = native();
    const { say } = conversation(model("Fine.").respond, { budget: 2_000, keep: 0, compactNatively });
    for (let turn = 0; turn < 40; turn += 1) await say(question(turn));
    expect(asked.length).toBeGreaterThan(1);
    expect(asked[1]!.input[0]).toMatchObject({ type: "compaction", id: "cmp_1" });
  });

  test("is done without where it fails, and the warning says so", async () => {
    const talk = model("Fine.");
    const compactNatively = async (): Promise<never> => Promise.reject(new AntiphonError("SERVER_ERROR", "Out of order."));
    const { say, told, context } = conversation(talk.respond, { budget: 2_000, keep: 0, compactNatively });
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
    expect(talk.summaries).toHaveLength(1);
    expect(context.stats().warnings).toMatchObject([{ path: "context", reason: expect.stringContaining("Out of order.") }]);
  });

  test("is insisted on where the caller wants no other", async () => {
    const talk = model("Fine.");
    const { say, told } = conversation(talk.respond, { budget: 2_000, keep: 0, compact: "native" });
    for (let turn = 0; turn < 20; turn += 1) await say(question(turn));
    expect(told("compaction_failed")[0]).toMatchObject({ error: { code: "UNSUPPORTED" } });
    expect(talk.summaries).toEqual([]);
  });

  test("is not asked where the caller wants summaries", async () => {
    const { asked, compactNatively } = native();
    const talk = model("Fine.");
    const { say } = conversation(talk.respond, { budget: 2_000, keep: 0, compact: "summary", compactNatively });
    for (let turn = 0; turn < 20; turn += 1) await say(question(turn));
    expect(asked).toEqual([]);
    expect(talk.summaries.length).toBeGreaterThan(0);
  });

  test("leaves nothing behind that another provider would miss", async () => {
    const { compactNatively } = native();
    const { say, log, told } = conversation(model("Fine.").respond, { budget: 2_000, keep: 0, compactNatively });
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
    const other: Target = { ...target, provider: "other", endpoint: "https://other.example" };
    // What it cannot read, it is told in full, and then summarised from the very beginning.
    expect(wordsIn({ input: plan(log, other).input }).join()).toContain("Question 0:");
    const transcripts: string[] = [];
    const summarise: ContextOptions["summarise"] = async ({ transcript }) => (transcripts.push(transcript), "All of it.");
    const about = { request: {}, target: other, ask: scripted([]), force: false };
    const compacted = await contextManager({ budget: 1_000, keep: 0, summarise })(log, about);
    expect(transcripts.join()).toContain("Question 0:");
    log.compact(compacted!);
    expect(plan(log, other).input.length).toBeLessThan(10);
  });
});

describe("what alone is longer than the budget", () => {
  const call = (call_id: string): InputItem => ({ type: "function_call", call_id, name: "read", arguments: "{}" });
  const filled = (...outputs: string[]): Log => {
    const log = new Log();
    log.append([{ item: user("Read it.") }]);
    for (const [index, output] of outputs.entries())
      log.append([{ item: call(`c${index}`) }, { item: functionCallOutput(`c${index}`, output) }]);
    return log;
  };
  const about = { request: {}, target: { ...target, stores: false }, ask: scripted([]), force: false };
  const summarise = async (): Promise<string> => "Read something.";

  test("stays as it is, with a warning", async () => {
    const log = filled(words(5_000));
    const context = contextManager({ budget: 2_000, summarise });
    expect(await context(log, about)).toBeUndefined();
    expect(context.stats(log).warnings).toMatchObject([{ path: "input", reason: expect.stringMatching(/have 5\d\d\d tokens/) }]);
  });

  test("loses the middle of what tools gave where the caller allows it, with a mark", async () => {
    const log = filled("short", words(5_000));
    const context = contextManager({ budget: 2_000, truncateOutputs: 500, summarise });
    log.compact((await context(log, about))!);
    const { input } = plan(log, about.target);
    expect(JSON.stringify(input)).toContain("characters omitted");
    expect(JSON.stringify(input).length).toBeLessThan(5_000);
    expect(input.map(({ type }) => type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "function_call",
      "function_call_output",
    ]);
    // The log itself still has it all.
    expect(JSON.stringify(log.items)).toContain(words(5_000));
    expect(context.stats(log).share).toBeLessThan(0.75);
  });

  test("never loses what the user wrote", async () => {
    const log = new Log();
    log.append([{ item: user(words(5_000)) }]);
    expect(await contextManager({ budget: 2_000, truncateOutputs: 500 })(log, about)).toBeUndefined();
  });
});

describe("stats", () => {
  test("tell how full the context is, in the words of the provider where it said something", async () => {
    const { say, context, log } = conversation(model("Fine.").respond, { budget: 1_000 });
    await say("Hello there.");
    const stats = context.stats();
    expect(stats).toMatchObject({ budget: 1_000, messages: 2, summarised: 0, compactions: 0, estimated: 0, warnings: [] });
    expect(stats.measured).toBe(log.entries.at(-1)?.origin?.tokens);
    expect(stats.totalTokens).toBe(stats.measured);
    expect(stats.share).toBe(stats.totalTokens / 1_000);
    log.append([{ item: user(words(100)) }]);
    expect(context.stats().estimated).toBeGreaterThan(95);
  });

  test("count what was summarised, and what that cost", async () => {
    const { say, context } = conversation(model("Fine.").respond, { budget: 2_000, keep: 0 });
    for (let turn = 0; turn < 30; turn += 1) await say(question(turn));
    const { messages, summarised, compactions, spent } = context.stats();
    expect(messages).toBe(60);
    expect(summarised).toBeGreaterThan(40);
    expect(compactions).toBeGreaterThan(1);
    expect(spent.total_tokens).toBeGreaterThan(1_000);
  });

  test("have a budget of 150,000 tokens, and of 32,000 where the server is on this machine", () => {
    const budgetAt = async (endpoint: string, options: ContextOptions = {}): Promise<number> => {
      const context = contextManager(options);
      await context(new Log(), { request: {}, target: { ...target, endpoint }, ask: scripted([]), force: false });
      return context.stats().budget;
    };
    return Promise.all([
      expect(budgetAt("https://api.openai.com/v1")).resolves.toBe(150_000),
      expect(budgetAt("http://127.0.0.1:1234/v1")).resolves.toBe(32_000),
      expect(budgetAt("http://localhost:11434/v1")).resolves.toBe(32_000),
      expect(budgetAt("http://[::1]:8000/v1")).resolves.toBe(32_000),
      expect(budgetAt("https://localhost.example.com/v1")).resolves.toBe(150_000),
      expect(budgetAt("http://localhost/v1", { budget: 5 })).resolves.toBe(5),
      expect(budgetAt("http://x/v1", { budget: ({ model: name }) => name.length })).resolves.toBe(1),
    ]);
  });

  test("count by the caller's tokenizer", async () => {
    const log = new Log();
    log.append([{ item: user("12345") }]);
    const context = contextManager({ countTokens: (text) => text.length * 100 });
    await context(log, { request: {}, target, ask: scripted([]), force: false });
    expect(context.stats().totalTokens).toBeGreaterThanOrEqual(500);
  });
});

test("a blob that its maker refuses to read is done without, and the conversation goes on", async () => {
  let isOtherAccount = false;
  const refused = new AntiphonError("INVALID_ENCRYPTED_CONTENT", "Cannot be decrypted.");
  const compactNatively = async (): Promise<InputItem[]> =>
    isOtherAccount ? Promise.reject(refused) : [{ type: "compaction", id: "cmp_1", encrypted_content: "sealed" }];
  const talk = model("Fine.");
  const { say, told, log } = conversation(
    (request, call) => {
      if (isOtherAccount && JSON.stringify(request.input).includes("sealed")) return scripted([refused])(request, call);
      return talk.respond(request, call);
    },
    { budget: 2_000, keep: 0, compactNatively },
    { stores: false },
  );
  for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
  await say("Go on.");
  isOtherAccount = true;
  await say("And now?");
  expect(told("recovered")).toMatchObject([{ code: "INVALID_ENCRYPTED_CONTENT" }]);
  expect(wordsIn(talk.requests.at(-1)!).join()).toContain("Question 0:");
  await say("Fine?");
  expect(log.compacted?.summary).toContain("They talked.");
});
