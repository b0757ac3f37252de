import { AntiphonError } from "../../core/error.ts";
import { isObject } from "../../model/guards.ts";
import type { CreateResponse, CustomTool, FunctionTool } from "../../model/index.ts";
import { functionsOf } from "../../codecs/shared/tool-names.ts";
import { refused } from "./check-input.ts";
import { asksFor, readFacts, type Facts } from "./facts.ts";
import { fillFrom } from "./fill-schema.ts";
import type { Prompt } from "./read-prompt.ts";
import { fillPattern } from "./schema/pattern.ts";
import { words } from "./words.ts";

/** A call that the model decided on. */
export interface PlannedCall {
  type: "function" | "custom";
  name: string;
  namespace?: string;
  /** JSON arguments, or the text of a free-form call. */
  input: string;
}

/** A tool of the caller's, and the namespace that it was declared in. */
interface Callable {
  tool: FunctionTool | CustomTool;
  namespace?: string;
}

/** What `tool_choice` leaves to the model. */
interface Choice {
  tools: Callable[];
  mode: "none" | "auto" | "required";
}

const placesAtMost = 8;

/** The calls that an answer consists of; none where the model should speak. */
export function chooseCalls(request: CreateResponse, prompt: Prompt): PlannedCall[] {
  const { tools, mode } = readChoice(request);
  if (mode === "none") return [];
  const ordered = orderedCalls(request, tools, prompt);
  const wanted = ordered.length > 0 ? ordered : fittingCalls(tools, prompt);
  const due = withoutMade(wanted, prompt.called);
  if (mode === "required" && due.length === 0)
    due.push(...(wanted.length > 0 ? wanted : callsOf(likeliest(tools, prompt), prompt)));
  return request.parallel_tool_calls === false || isNamed(request) ? due.slice(0, 1) : due;
}

const isNamed = ({ tool_choice }: CreateResponse): boolean =>
  isObject(tool_choice) && (tool_choice.type === "function" || tool_choice.type === "custom");

function readChoice(request: CreateResponse): Choice {
  const tools = callables(request);
  const choice = request.tool_choice ?? "auto";
  if (typeof choice === "string") return { tools, mode: withTools(tools, choice, request) };
  if ("tools" in choice) {
    const names = new Set(choice.tools.map(({ name }) => name));
    const allowed = tools.filter(({ tool }) => names.has(tool.name));
    return { tools: allowed, mode: withTools(allowed, choice.mode ?? "auto", request) };
  }
  if (choice.type !== "function" && choice.type !== "custom")
    throw new AntiphonError("UNSUPPORTED", `The offline model has no ${choice.type} tool.`, {
      provider: "offline",
      param: "tool_choice",
    });
  const named = tools.filter(({ tool }) => "name" in choice && tool.name === choice.name);
  if (named.length === 0)
    throw refused(`Tool choice '${"name" in choice ? choice.name : ""}' not found in 'tools'.`, "tool_choice");
  return { tools: named, mode: "required" };
}

function withTools(tools: Callable[], mode: Choice["mode"], request: CreateResponse): Choice["mode"] {
  if (mode !== "required" || tools.length > 0) return mode;
  const hosted = request.tools?.length ? "the offline model runs no server-side tools" : "'tools' contains none";
  throw refused(`Tool choice 'required' requires a tool to call: ${hosted}.`, "tool_choice");
}

const callables = ({ tools }: CreateResponse): Callable[] =>
  (tools ?? []).flatMap((tool): Callable[] => {
    const namespace = tool.type === "namespace" ? { namespace: tool.name } : {};
    return functionsOf(tool).map((inner) => ({ tool: inner, ...namespace }));
  });

/** What the prompt orders word for word: tools that may be called, and, unless one must be, such as nobody declared. */
const orderedCalls = (request: CreateResponse, tools: Callable[], prompt: Prompt): PlannedCall[] =>
  prompt.orders.calls.flatMap(({ name, arguments: given }): PlannedCall[] => {
    const isDeclared = callables(request).some(({ tool }) => tool.name === name);
    const unknown: PlannedCall[] = isDeclared || isNamed(request) ? [] : [{ type: "function", name, input: "{}" }];
    const known = tools.find(({ tool }) => tool.name === name);
    return (known ? callsOf(known, prompt) : unknown).slice(0, 1).map((call) => ({ ...call, input: given ?? call.input }));
  });

const fittingCalls = (tools: Callable[], prompt: Prompt): PlannedCall[] =>
  tools.filter((callable) => score(callable, prompt) >= 1).flatMap((callable) => callsOf(callable, prompt));

const likeliest = (tools: Callable[], prompt: Prompt): Callable | undefined =>
  tools.toSorted((a, b) => score(b, prompt) - score(a, prompt))[0];

/** Leaves out as many calls of each name as were made since the user spoke. */
function withoutMade(wanted: PlannedCall[], called: readonly string[]): PlannedCall[] {
  const made = [...called];
  return wanted.filter(({ name }) => {
    const at = made.indexOf(name);
    if (at !== -1) made.splice(at, 1);
    return at === -1;
  });
}

const small: ReadonlySet<string> = new Set(
  (
    "a an and any are as at be by can do for from give has have how i if in into is it its me my of on or please so some tell that " +
    "the their them then there these they this to up use used uses using was we what when where which who will with would you your " +
    "get set find list fetch show make run call tool function return value given current name"
  ).split(" "),
);
const stem = (word: string): string => (word.length > 3 ? word.replace(/(?:ing|es|s)$/, "") : word);
const telling = (text: string): string[] => [
  ...new Set(
    words(text)
      .filter((word) => !small.has(word))
      .map(stem),
  ),
];

/** How well a tool fits what was said: 1 or more where its name does, two words of its description, or a sum that it could work out. */
function score({ tool }: Callable, { text }: Prompt): number {
  const said = new Set(words(text).map(stem));
  const name = telling(tool.name);
  const described = telling(tool.description ?? "").filter((word) => said.has(word)).length;
  const named = (name.length > 0 ? name : words(tool.name).map(stem)).filter((word) => said.has(word)).length;
  const sums = takes("sums", tool) ? readFacts(text).sums.length : 0;
  return named + described / 2 + sums;
}

/** One call, or one for each place that the prompt names where the tool asks for a place. */
function callsOf(callable: Callable | undefined, prompt: Prompt): PlannedCall[] {
  if (!callable) return [];
  const { tool, namespace } = callable;
  const facts = readFacts(prompt.text);
  const focused = takes("places", tool) && facts.places.length > 1 ? onePlaceEach(facts) : [facts];
  const of = { name: tool.name, ...(namespace === undefined ? {} : { namespace }) };
  return focused.map((known) =>
    tool.type === "function"
      ? { type: "function", ...of, input: argumentsOf(tool, known) }
      : { type: "custom", ...of, input: freeText(tool, known) },
  );
}

// Arguments are an object, whatever a broken schema says.
function argumentsOf({ parameters }: FunctionTool, facts: Facts): string {
  const filled = fillFrom(parameters ?? { type: "object" }, facts, { invent: false });
  return JSON.stringify(isObject(filled) ? filled : {});
}

const onePlaceEach = (facts: Facts): Facts[] =>
  facts.places.slice(0, placesAtMost).map((place) => ({ ...facts, places: [place] }));

/** Whether a tool takes one fact of a kind. */
function takes(kind: Parameters<typeof asksFor>[0], tool: FunctionTool | CustomTool): boolean {
  const properties = tool.type === "function" ? tool.parameters?.["properties"] : undefined;
  if (!isObject(properties)) return false;
  return Object.entries(properties).some(
    ([name, schema]) => asksFor(kind, name) && isObject(schema) && schema["type"] !== "array",
  );
}

function freeText({ format }: CustomTool, facts: Facts): string {
  const patterned = format?.type === "grammar" && format.syntax === "regex" ? fillPattern(format.definition, 1) : undefined;
  return patterned ?? facts.quoted[0] ?? facts.text;
}
