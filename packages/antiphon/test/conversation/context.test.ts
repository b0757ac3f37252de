import { describe, expect, test } from "vitest";
import { AntiphonError } from "../../src/core/error.ts";
import { contextManager } from "../../src/conversation/context.ts";
import type { CompactionContext } from "../../src/conversation/compactor.ts";
import { Log } from "../../src/conversation/log.ts";
import { text } from "../../src/core/views.ts";
import { assistant, functionCallOutput, user } from "../../src/model/construct.ts";
import type { InputItem } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { asksForSummary, conversation, model, target, wordsIn } from "./context-support.ts";

const words = (count: number, word = "word"): string => Array.from({ length: count }, () => word).join(" ");
/** About 100 tokens. */
const question = (index: number): string => `Question ${index}: ${words(96)}`;

/** What a compactor is asked about a log, with a model that must not be asked. */
const about = (more: Partial<CompactionContext> = {}): CompactionContext => ({
  request: { model: "m" },
  target,
  ask: scripted([]),
  force: false,
  ...more,
});

describe("a conversation within its budget", () => {
  test("is left as it is", async () => {
    const { respond, summaries } = model("Fine.");
    const { say, told } = conversation(respond, { budget: 1_000 });
    for (let turn = 0; turn < 5; turn += 1) await say(question(turn));
    expect(summaries).toEqual([]);
    expect(told("compacted")).toEqual([]);
  });
});

describe("a conversation that has filled its budget", () => {
  const options = { budget: 2_000, keep: 0, minRecent: 6 };

  test("goes on with a summary in the instructions and the recent messages as they were", async () => {
    const talk = model("Fine.", "The summary.");
    const { say, told, log } = conversation(talk.respond, options);
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1)
      await say(question(turn), { instructions: "Be kind." });
    const last = talk.requests.at(-1)!;
    expect(last.instructions).toMatch(/^Be kind\.\n\n[^]*The summary\.$/);
    expect(last.previous_response_id).toBeUndefined();
    expect(last.input).toHaveLength(7);
    const said = (items: readonly unknown[]) => items.map((item) => /Question \d+|Fine/.exec(JSON.stringify(item))?.[0]);
    expect(said(last.input as InputItem[])).toEqual(said(log.items.slice(-8, -1)));
    // The question is there once, and last.
    const asked = wordsIn(last).filter((said) => said.includes("Question"));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.at(-1)).toContain(`Question ${log.turns.length - 1}`);
  });

  test("gives the summariser all that will be left out, and little else", async () => {
    const talk = model("Fine.");
    const { say, told } = conversation(talk.respond, options);
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
    const [asked] = wordsIn(talk.summaries[0]!);
    const kept = wordsIn(talk.requests.at(-1)!).join();
    const places = talk.requests.map((_, turn) => [asked, kept].filter((words) => words?.includes(`Question ${turn}:`)).length);
    expect(Math.min(...places)).toBe(1);
    // The question to which the first kept answer belongs stays as it was put, too.
    expect(places.filter((count) => count === 2)).toHaveLength(1);
  });

  test("begins a new chain and goes on with it", async () => {
    const talk = model("Fine.");
    const { say, told } = conversation(talk.respond, options);
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
    await say("And now?");
    const last = talk.requests.at(-1)!;
    expect(last.previous_response_id).toBeDefined();
    expect(wordsIn(last)).toEqual(['"And now?"']);
    expect(last.instructions).toContain("They talked.");
  });

  test("works the notes from before into the next summary", async () => {
    const talk = model("Fine.", (request) => `Notes ${/Notes (\d+)/.test(wordsIn(request).join()) ? "again" : "1"}.`);
    const { say, log } = conversation(talk.respond, options);
    for (let turn = 0; turn < 60; turn += 1) await say(question(turn));
    expect(talk.summaries.length).toBeGreaterThan(2);
    expect(wordsIn(talk.summaries[1]!).join()).toContain("Earlier notes:\\n\\nNotes 1.");
    expect(log.compacted?.summary?.match(/Notes on the earlier part/g)).toHaveLength(1);
  });

  test("stays within it for good, at a cost that does not grow", async () => {
    const talk = model("Fine.");
    const { say, context } = conversation(talk.respond, options, { stores: false });
    for (let turn = 0; turn < 100; turn += 1) {
      await say(question(turn));
      expect(context.stats().totalTokens).toBeLessThan(2_000);
    }
    const items = talk.requests.map(({ input }) => input?.length ?? 0);
    expect(Math.max(...items.slice(50))).toBeLessThanOrEqual(Math.max(...items.slice(0, 50)));
    expect(talk.summaries.length).toBeLessThan(25);
  });

  test("can be had back whole", async () => {
    const talk = model("Fine.");
    const { say, told, log } = conversation(talk.respond, options);
    for (let turn = 0; turn < 20 && told("compacted").length === 0; turn += 1) await say(question(turn));
    const record = log.records.find(({ type }) => type === "compacted");
    expect(record).toMatchObject({ compacted: { to: log.compacted?.to, summary: expect.stringContaining("They talked.") } });
    log.restore();
    expect(log.compacted).toBeUndefined();
    expect(wordsIn({ input: log.items }).join()).toContain("Question 0:");
  });

  test("keeps more of the end where there is room for it", async () => {
    const talk = model("Fine.");
    const { say, told } = conversation(talk.respond, { budget: 4_000, keep: 0.4 }, { stores: false });
    for (let turn = 0; turn < 60 && told("compacted").length === 0; turn += 1) await say(question(turn));
    expect(talk.requests.at(-1)!.input!.length).toBeGreaterThan(20);
  });
});

describe("a run of tools that fills the budget", () => {
  test("keeps the question that it answers, once and as it was put", async () => {
    const call = (index: number): InputItem => ({ type: "function_call", call_id: `c${index}`, name: "look", arguments: "{}" });
    const talk = model((request, index) => (index < 40 ? [call(index)] : "Done."));
    const { say, log, told } = conversation(talk.respond, { budget: 1_000, minRecent: 4 }, { stores: false });
    const items: InputItem[] = [user("Find the needle.")];
    for (let step = 0; step < 30; step += 1) {
      const { output } = await say([...items]);
      items.push(
        ...output,
        ...output.flatMap((item) => (item.type === "function_call" ? [functionCallOutput(item.call_id, words(60))] : [])),
      );
    }
    expect(told("compacted").length).toBeGreaterThan(1);
    for (const request of talk.requests) expect(wordsIn(request).filter((said) => said.includes("needle"))).toHaveLength(1);
    expect(log.items.filter((item) => JSON.stringify(item).includes("needle"))).toHaveLength(1);
    for (const { input } of talk.requests) {
      const calls = (input as InputItem[]).filter(({ type }) => type === "function_call").length;
      expect((input as InputItem[]).filter(({ type }) => type === "function_call_output")).toHaveLength(calls);
    }
  });
});

describe("a summary that cannot be had", () => {
  const options = { budget: 2_000, keep: 0 };

  test("loses nothing, is told, and is not asked for again at once", async () => {
    const talk = model("Fine.", () => new AntiphonError("SERVER_ERROR", "No."));
    const { say, told, log } = conversation(talk.respond, options, { stores: false });
    for (let turn = 0; turn < 18; turn += 1) await say(question(turn));
    expect(told("compaction_failed")[0]).toMatchObject({ force: false, error: { code: "SERVER_ERROR" } });
    expect(log.compacted).toBeUndefined();
    expect(talk.requests.at(-1)!.input).toHaveLength(35);
    expect(talk.summaries.length).toBeLessThan(talk.requests.length / 4);
  });

  test.each([
    ["refused", "[[refuse:No]]"],
    ["cut off", "[[stop:max_output_tokens]] [[say:one two three]]"],
    ["empty", "[[say: ]]"],
  ])("is no summary where it is %s", async (_, order) => {
    const writer = offline();
    const ask = conversation((request, call) => writer(asksForSummary(request) ? { input: order } : request, call), options, {
      stores: false,
    });
    for (let turn = 0; turn < 18; turn += 1) await ask.say(question(turn));
    expect(ask.told("compaction_failed").length).toBeGreaterThan(0);
    expect(ask.log.compacted).toBeUndefined();
  });

  test("does not keep a caller waiting who has stopped", async () => {
    const talk = model("Fine.");
    const stopped = new AbortController();
    const log = new Log();
    log.append(Array.from({ length: 40 }, (_, index) => ({ item: user(question(index)) })));
    stopped.abort(new AntiphonError("ABORTED", "Enough."));
    const context = contextManager(options);
    await expect(context(log, about({ ask: talk.respond, signal: stopped.signal }))).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("a provider that finds the conversation too long", () => {
  /** A model with a small window that writes summaries whatever their length. */
  const small = (contextWindow: number) => {
    const answers = offline({ contextWindow });
    const asked: string[][] = [];
    const talk = conversation((request, call) => {
      if (asksForSummary(request)) return scripted(["They talked."])(request, call);
      asked.push(wordsIn(request));
      return answers(request, call);
    });
    return { ...talk, asked };
  };

  test.each([
    ["streamed", {}],
    ["plain", { stream: false }],
  ])("is asked again with a summary, once, and the question is not doubled: %s", async (_, how) => {
    const { say, told, log, asked } = small(1_500);
    for (let turn = 0; turn < 30 && told("recovered").length === 0; turn += 1) await say(`${question(turn)} [[say:Fine]]`, how);
    expect(told("recovered")).toMatchObject([{ code: "CONTEXT_LENGTH_EXCEEDED" }]);
    expect(told("compacted")).toMatchObject([{ force: true }]);
    const last = `Question ${log.turns.length - 1}:`;
    expect(asked.at(-1)!.filter((said) => said.includes(last))).toHaveLength(1);
    expect(log.items.filter((item) => JSON.stringify(item).includes(last))).toHaveLength(1);
    expect(text(log.entries.at(-1)!.item.type === "message" ? [log.entries.at(-1)!.item as never] : [])).toBe("Fine");
  });

  test("is not asked so much again", async () => {
    const { say, told, context } = small(1_500);
    for (let turn = 0; turn < 60; turn += 1) await say(`${question(turn)} [[say:Fine]]`);
    expect(told("recovered")).toHaveLength(1);
    expect(told("compacted").length).toBeGreaterThan(2);
    expect(context.stats().budget).toBeLessThan(150_000);
  });

  test("gets fewer of the recent messages where they alone are too long", async () => {
    const { say, told } = small(500);
    await say(`${words(100)} [[say:Fine]]`);
    await say(`${words(100)} [[say:Fine]]`);
    await say(`${words(200)} [[say:Fine]]`);
    await say(`${words(250)} [[say:Fine]]`);
    expect(told("recovered").length).toBeGreaterThan(0);
  });

  test("is believed where one message alone is too long, and the conversation can go on without it", async () => {
    const { say, log } = small(200);
    await say("Hello [[say:Hi]]");
    await expect(say(words(2_000))).rejects.toMatchObject({ code: "CONTEXT_LENGTH_EXCEEDED" });
    expect(log.items.filter((item) => JSON.stringify(item).includes("word word"))).toHaveLength(1);
  });
});

describe("what must be summarised", () => {
  const long = new Log();
  long.append(Array.from({ length: 100 }, (_, index) => ({ item: user(question(index)) })));

  test("is taken in pieces that fit, each summary worked into the next", async () => {
    const pieces: (string | undefined)[] = [];
    const context = contextManager({
      budget: 4_000,
      keep: 0,
      summarise: async ({ previous, items }) => {
        pieces.push(previous);
        return `${previous ?? ""}${items.length},`;
      },
    });
    const compacted = await context(long, about());
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces[0]).toBeUndefined();
    const counts = compacted!.summary!.split("\n").at(-1)!.split(",").map(Number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(94);
    expect(compacted!.to).toBe(94);
  });

  test("is halved where a piece is still too long, and given up where nothing helps", async () => {
    const tooLong = new AntiphonError("CONTEXT_LENGTH_EXCEEDED", "Too long.");
    const sizes: number[] = [];
    const summarise = async ({ transcript }: { transcript: string }): Promise<string> => {
      sizes.push(transcript.length);
      if (transcript.length > 4_000) throw tooLong;
      return "Short.";
    };
    const compacted = await contextManager({ budget: 8_000, keep: 0, summarise })(long, about());
    expect(compacted?.summary).toMatch(/Short\.$/);
    expect(sizes[0]).toBeGreaterThan(4_000);
    const never = async (): Promise<string> => Promise.reject(tooLong);
    await expect(contextManager({ budget: 8_000, keep: 0, summarise: never })(long, about())).rejects.toBe(tooLong);
  });

  test("shows calls, results and attachments by name, and no thoughts, blobs or bytes", async () => {
    const log = new Log();
    const items: InputItem[] = [
      user([
        { type: "input_text", text: "See" },
        { type: "input_file", filename: "plan.pdf", file_data: "data:;base64,AAAA" },
      ]),
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hidden." }], encrypted_content: "BLOB" },
      { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
      functionCallOutput("c1", [
        { type: "input_text", text: "4 °C" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      ]),
      { type: "custom_tool_call", id: "ct_1", call_id: "c2", name: "sql", input: "select 1" },
      { type: "custom_tool_call_output", id: "cto_1", call_id: "c2", output: "1" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "fjords" } },
      assistant("It is cold."),
    ];
    log.append(items.map((item) => ({ item })));
    log.append([{ item: user(words(40)) }]);
    let seen = "";
    const summarise = async ({ transcript }: { transcript: string }): Promise<string> => ((seen = transcript), "ok");
    await contextManager({ budget: 20_000, threshold: 0.05, minRecent: 1, keep: 0, summarise })(log, about());
    for (const shown of [
      "[file plan.pdf]",
      'TOOL CALL weather:\n{"city":"Oslo"}',
      "4 °C\n[image]",
      "select 1",
      "fjords",
      "ASSISTANT:\nIt is cold.",
    ])
      expect(seen).toContain(shown);
    for (const hidden of ["Hidden", "BLOB", "AAAA"]) expect(seen).not.toContain(hidden);
  });
});
