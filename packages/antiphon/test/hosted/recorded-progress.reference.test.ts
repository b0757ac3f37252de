import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { createProgress } from "../../src/hosted/progress.ts";
import type { ToolEvent, ToolProgress } from "../../src/hosted/tool-event.ts";
import type { ResponseEvent } from "../../src/model/index.ts";
import { answersWith, isHosted, type Answer } from "./recorded.ts";

const answers = answersWith(isHosted);
const noLimits = { maxText: Number.POSITIVE_INFINITY, maxEvents: Number.POSITIVE_INFINITY };

function follow({ events }: Answer): { live: ToolProgress[]; final: ToolProgress } {
  const progress = createProgress(noLimits);
  const live = events.map((event) => progress.push(event)).filter((one) => one !== undefined);
  return { live, final: progress.metadata };
}

const isDelta = ({ type }: { type: string }): boolean => type.endsWith(".delta");
const strandOf = ({ type, output_index, command_index }: ToolEvent): string =>
  `${type.replace(/\.(delta|done)$/, "")} ${output_index} ${String(command_index)}`;

/** What the live lists amount to: texts that came in pieces are one delta, where the first piece was. */
function folded(live: readonly ToolProgress[]): Record<string, ToolEvent[]> {
  const lists: Record<string, ToolEvent[]> = {};
  const texts = new Map<string, ToolEvent>();
  for (const [tool, [event]] of live.flatMap((one) => Object.entries(one))) {
    const list = (lists[tool] ??= []);
    const before = texts.get(strandOf(event!));
    if (before && isDelta(event!)) {
      before["delta"] = joined(before["delta"], event!["delta"]);
      continue;
    }
    const { obfuscation: _, ...copy } = structuredClone(event!);
    if (isDelta(copy)) texts.set(strandOf(copy), copy);
    list.push(copy);
  }
  return lists;
}

function joined(before: unknown, piece: unknown): unknown {
  if (typeof before === "string") return before + String(piece);
  const streams = { ...(before as Record<string, string>) };
  for (const [name, text] of Object.entries(piece as object)) streams[name] = (streams[name] ?? "") + text;
  return streams;
}

const wireEvent =
  /^response\.(web_search_call|file_search_call|code_interpreter_call|code_interpreter_call_code|image_generation_call|mcp_list_tools|mcp_call|mcp_call_arguments|shell_call_command|shell_call_output_content|apply_patch_call_operation_diff)\./;

/** The events of tools in a stream, less the wholes of texts whose pieces came before. */
function toldOnce(events: readonly ResponseEvent[]): unknown[] {
  const begun = new Set<string>();
  return events.filter((event) => {
    if (!wireEvent.test(event.type)) return false;
    const strand = strandOf(event as ToolEvent);
    if (isDelta(event)) begun.add(strand);
    const whole = /(code|arguments|command|content|diff)\.done$/.exec(event.type)?.[1];
    return whole === undefined || !(begun.has(strand) || Reflect.get(event, whole) === "");
  });
}

/** The stages of each call in a list, as one line. */
function stagesOf(list: readonly ToolEvent[]): string[] {
  const calls = new Map<unknown, string[]>();
  for (const { type, output_index } of list) {
    const stages = calls.get(output_index) ?? [];
    calls.set(output_index, [
      ...stages,
      type
        .replace(/^response\.\w*?(code|arguments|command|content|diff)?\.(delta|done|added)$/, "$1.$2")
        .replace(/^response\.\w+\./, ""),
    ]);
  }
  return [...calls.values()].map((stages) => stages.join(" > "));
}

const breaches = (check: (answer: Answer) => unknown): string[] =>
  answers.flatMap((answer) => {
    const finding = check(answer);
    return finding === undefined || finding === true ? [] : [`${answer.id}: ${JSON.stringify(finding).slice(0, 300)}`];
  });
const same = isDeepStrictEqual;

describe(`progress of ${answers.length} recorded answers with server-side tools`, () => {
  test("is told in lists of one event, under one tool", () => {
    expect(
      breaches(({ events }) =>
        follow({ events } as Answer).live.every((one) => Object.keys(one).length === 1 && Object.values(one)[0]?.length === 1),
      ),
    ).toEqual([]);
  });

  test("is in the end what was told live, with texts that came in pieces once and whole", () => {
    expect(
      breaches((answer) => {
        const { live, final } = follow(answer);
        return same(folded(live), final) || { live: folded(live), final };
      }),
    ).toEqual([]);
  });

  test("tells every event of a tool once, as it came", () => {
    expect(
      breaches((answer) => {
        const told = follow(answer)
          .live.flatMap((one) => Object.values(one).flat())
          .filter(({ type }) => type.startsWith("response."));
        return same(told, toldOnce(answer.events));
      }),
    ).toEqual([]);
  });

  test("sums up every finished call once", () => {
    expect(
      breaches(({ events, output }) => {
        const summaries = Object.values(follow({ events } as Answer).final)
          .flat()
          .filter(({ type }) => !type.startsWith("response.") && type !== "container_file_citation");
        const told = summaries.map(({ type, item_id, output_index }) => `${output_index} ${type} ${item_id}`).sort();
        const items = output.flatMap((item, index) => (isHosted(item) ? [`${index} ${item.type} ${item.id}`] : [])).sort();
        return same(told, items) || { told, items };
      }),
    ).toEqual([]);
  });

  test("sums up file searches by queries and results, and code by code, results and container", () => {
    expect(
      breaches(({ events, output }) => {
        const { file_search = [], code_interpreter = [] } = follow({ events } as Answer).final;
        const summary = (list: readonly ToolEvent[], id: string): Partial<ToolEvent> =>
          list.find(({ type, item_id }) => !type.startsWith("response.") && item_id === id) ?? {};
        return output.every((item) => {
          if (item.type === "file_search_call") {
            const { queries, results } = summary(file_search, item.id);
            return same({ queries, results }, { queries: item.queries, results: item.results ?? [] });
          }
          if (item.type !== "code_interpreter_call") return true;
          const { code, results, container_id, status } = summary(code_interpreter, item.id);
          const written = code_interpreter.find(({ type, item_id }) => isDelta({ type }) && item_id === item.id)?.["delta"];
          const { outputs, ...rest } = item;
          const known = same([results, status, container_id], [outputs ?? [], rest.status, rest.container_id ?? ""]);
          return known && typeof code === "string" && (written === undefined || code === written);
        });
      }),
    ).toEqual([]);
  });

  test("names every cited file of a container once, and no citation of no text", () => {
    expect(
      breaches(({ events, output }) => {
        const told = (follow({ events } as Answer).final["code_interpreter"] ?? [])
          .filter(({ type }) => type === "container_file_citation")
          .map(({ file_id }) => file_id);
        const cited = output
          .flatMap((item) => (item.type === "message" ? item.content : []))
          .flatMap((part) => (part.type === "output_text" ? part.annotations : []))
          .flatMap((one) => (one.type === "container_file_citation" && one.end_index > one.start_index ? [one.file_id] : []));
        return same(told, cited) || { told, cited };
      }),
    ).toEqual([]);
  });

  test("goes through these stages, call by call", () => {
    const stages: Record<string, Record<string, number>> = {};
    for (const answer of answers)
      for (const [tool, list] of Object.entries(follow(answer).final))
        for (const stage of stagesOf(list)) {
          const counts = (stages[tool] ??= {});
          counts[stage] = (counts[stage] ?? 0) + 1;
        }
    expect(stages).toEqual({
      web_search: {
        "in_progress > searching > completed > web_search_call": 34,
        // Interrupted, or from a server that omits the last stage.
        "in_progress > searching > web_search_call": 4,
        // The result of a call that an earlier answer made.
        "completed > web_search_call": 2,
        // Plain answers, and APIs that report a search only when it is over.
        web_search_call: 113,
      },
      file_search: { "in_progress > searching > completed > file_search_call": 3, file_search_call: 14 },
      code_interpreter: {
        "in_progress > code.delta > interpreting > completed > code_interpreter_call": 36,
        // The code called functions of the caller's, and waits for them.
        "in_progress > code.delta > interpreting > code_interpreter_call": 3,
        "completed > code_interpreter_call": 1,
        "code.delta > interpreting > code_interpreter_call": 4,
        "code.delta > code_interpreter_call": 38,
        code_interpreter_call: 2,
        container_file_citation: 4,
        "container_file_citation > container_file_citation": 1,
      },
      image_generation: {
        "in_progress > generating > completed > image_generation_call": 1,
        "in_progress > generating > partial_image > image_generation_call": 1,
        "in_progress > generating > partial_image > partial_image > completed > image_generation_call": 1,
        image_generation_call: 7,
      },
      mcp: {
        "in_progress > completed > mcp_list_tools": 9,
        "in_progress > arguments.delta > completed > mcp_call": 5,
        "in_progress > arguments.delta > in_progress > completed > mcp_call": 1,
        "arguments.delta > mcp_call": 19,
        // The result of a call that an earlier answer made.
        mcp_call: 1,
        mcp_list_tools: 17,
        mcp_approval_request: 11,
      },
      shell: {
        "command.added > command.delta > shell_call": 4,
        "content.delta > shell_call_output": 3,
        shell_call: 4,
        shell_call_output: 3,
      },
      local_shell: { local_shell_call: 2 },
      apply_patch: { "diff.delta > apply_patch_call": 2, apply_patch_call: 10 },
      computer: { computer_call: 3 },
      tool_search: { tool_search_call: 22, tool_search_output: 19 },
      programmatic_tool_calling: { program: 3, program_output: 4 },
      x_search: { x_search_call: 1 },
      advisor: { "anthropic:server_tool_call": 7 },
    });
  });

  test("is JSON", () => {
    expect(breaches((answer) => same(follow(answer).final, JSON.parse(JSON.stringify(follow(answer).final))))).toEqual([]);
  });
});
