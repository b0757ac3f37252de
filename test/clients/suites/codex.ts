import { AntiphonError, newId, type CreateResponse, type InputItem, type Tool } from "antiphon";
import { scripted, type ScriptedTurn } from "antiphon/testing";
import { describe, expect } from "vitest";
import { can } from "../support/cell.ts";
import { runCodex, type CodexRun, type CodexTask } from "../support/codex.ts";
import { startAround, startLocked, type Upstream } from "../support/gateway.ts";
import { across } from "../support/serve.ts";

const poem = "roses are red\nviolets are green\n";
const corrected = "roses are red\nviolets are blue\n";
const patch =
  "*** Begin Patch\n*** Update File: poem.txt\n@@\n roses are red\n-violets are green\n+violets are blue\n*** End Patch\n";
const show = "cat poem.txt";

/** What the model does in each step, as JSON for a function and as text for a free-form tool; the tool may be in a namespace. */
interface Step {
  tool: string;
  namespace?: string;
  input: object | string;
}

const shell = (cmd: string): Step => ({ tool: "exec_command", input: { cmd } });
const program = (source: string): Step => ({ tool: "exec", namespace: "functions", input: source });

/**
 * The ways in which Codex hands its tools to a model, by the name of a model that it knows: functions and a namespace to those that it
 * does not know, a free-form tool with a grammar to some, and to the newest a list of namespaces in the input, one tool of which runs
 * programs that call the others.
 */
const ways: Record<string, { model: string; steps: readonly Step[] }> = {
  "by commands": {
    model: "somebody-elses",
    steps: [shell(show), shell(`sed -i s/green/blue/ poem.txt`), shell(show)],
  },
  "by a patch": {
    model: "gpt-5.5",
    steps: [shell(show), { tool: "apply_patch", input: patch }, shell(show)],
  },
  "by programs": {
    model: "gpt-6.1-sol",
    steps: [
      program(`text((await tools.exec_command({ cmd: ${JSON.stringify(show)} })).output)`),
      program(`text(await tools.apply_patch(${JSON.stringify(patch)}))`),
      program(`text((await tools.exec_command({ cmd: ${JSON.stringify(show)} })).output)`),
    ],
  },
};

/** A model that reads the file, changes it, looks at what it did, and says what it saw. */
const script = (steps: readonly Step[]): ScriptedTurn[] => [
  ...steps.map((step, index): ScriptedTurn => (request) => {
    if (index === 1) expectSeen(request, "violets are green");
    return [callOf(request, step, `call_${index}`)];
  }),
  (request) => {
    expectSeen(request, "violets are blue");
    return "The violets are blue now.";
  },
];

/** The model only knows what came back from the tool that it called last. */
function expectSeen({ input }: CreateResponse, words: string): void {
  const last = Array.isArray(input) ? JSON.stringify(input.at(-1)) : "nothing";
  if (!last.includes(words)) throw new AntiphonError("BAD_REQUEST", `The model wanted to see “${words}”, and saw ${last}`);
}

/** The step as a call of the tool that the request declares, whatever became of it on its way. */
function callOf(request: CreateResponse, { tool, namespace, input }: Step, call_id: string): InputItem {
  const declared = declaredIn(request);
  const flat = namespace === undefined ? tool : `${namespace}__${tool}`;
  const found = declared.find(({ name, of }) => (of === undefined ? name === flat : name === tool && of === namespace));
  if (!found) throw new AntiphonError("BAD_REQUEST", `The model was not told of ${flat}, but of ${JSON.stringify(declared)}`);
  const named = { call_id, name: found.name, ...(found.of === undefined ? {} : { namespace: found.of }) };
  if (found.type === "custom") return { type: "custom_tool_call", id: `ctc_${call_id}`, ...named, input: String(input) };
  return { type: "function_call", ...named, arguments: JSON.stringify(typeof input === "string" ? { input } : input) };
}

interface Declared {
  type: string;
  name: string;
  /** The namespace. */
  of?: string;
}

function declaredIn({ tools, input }: CreateResponse): Declared[] {
  const items = Array.isArray(input) ? input : [];
  // OpenAI's own wire has a second place for tools.
  const added = items.flatMap((item) =>
    (item.type as string) === "additional_tools" ? (Reflect.get(item, "tools") as Tool[]) : [],
  );
  return [...(tools ?? []), ...added].flatMap((tool): Declared[] =>
    tool.type === "namespace"
      ? tool.tools.map(({ type, name }) => ({ type, name, of: tool.name }))
      : [{ type: tool.type, name: "name" in tool ? String(tool.name) : "" }],
  );
}

const prompt = "Correct the poem in poem.txt.";
const files = { "poem.txt": poem };

/** Lets Codex correct the poem with a model that follows a script; tells whether it asked by HTTP. */
async function correct(steps: readonly Step[], upstream: Upstream, task: Pick<CodexTask, "model" | "webSockets">) {
  const gateway = await startAround(scripted(script(steps), { newId }), { [task.model]: upstream });
  try {
    const run = await runCodex({ ...task, url: gateway.url, prompt, files });
    const counted = await (await fetch(`${gateway.url}/metrics`)).text();
    return { run, posted: counted.includes('method="POST",route="/openai/v1/responses"') };
  } finally {
    await gateway.close();
  }
}

function expectDone(run: CodexRun): void {
  const said = run.events.flatMap(({ item }) => (item?.type === "agent_message" ? [item.text] : []));
  expect(said, run.log + JSON.stringify(run.events, null, 1)).toEqual(["The violets are blue now."]);
  expect(run.events.at(-1)?.type).toBe("turn.completed");
  expect(run.code).toBe(0);
  expect(run.read("poem.txt")).toBe(corrected);
  run.clean();
}

describe.each(across([["@openai/codex 0.166 · Responses"]]))("%s", (_, upstream) => {
  for (const [way, { model, steps }] of Object.entries(ways))
    can("tool loop", `reads a file, changes it ${way}, and looks at what it did`, async () => {
      const { run, posted } = await correct(steps, upstream, { model });
      expectDone(run);
      expect(posted).toBe(true);
    });

  can("socket", "does so over a WebSocket", async () => {
    const { model, steps } = ways["by a patch"]!;
    const { run, posted } = await correct(steps, upstream, { model, webSockets: true });
    expectDone(run);
    expect(posted).toBe(false);
  });
});

describe("@openai/codex 0.166 · Responses", () => {
  can("errors", "a wrong key is told, and nothing is done", async () => {
    const gateway = await startLocked(scripted(["Hello"]));
    const run = await runCodex({ url: gateway.url, model: "offline", key: "wrong", prompt, files }).finally(gateway.close);
    expect(run.events.at(-1)).toMatchObject({ type: "turn.failed", error: { message: expect.stringContaining("401") } });
    expect(run.read("poem.txt")).toBe(poem);
    run.clean();
  });
});
