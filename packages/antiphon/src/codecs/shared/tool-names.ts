import type { Loss } from "../../core/loss.ts";
import type { CustomTool, FunctionTool, JsonSchema, Tool } from "../../model/index.ts";

/** What names of functions a wire takes. */
export interface NameRules {
  /** A character that may stand anywhere in a name. */
  allowed: RegExp;
  /** A character that may stand first; any allowed one, where left out. */
  first?: RegExp;
  maxLength: number;
}

/** A tool of the caller's as a wire that has only functions declares it. */
export interface DeclaredTool {
  wireName: string;
  kind: "function" | "custom";
  name: string;
  namespace?: string;
  description: string | undefined;
  parameters: JsonSchema;
  strict: boolean;
}

/** What a wire's name stands for. */
export type NamedTool = Pick<DeclaredTool, "kind" | "name" | "namespace">;

/** The one parameter of a function that stands in for a free-form tool. */
const customInput: JsonSchema = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

const separator = "__";

/**
 * The tools of a request under names that a wire takes, both ways. It is made from the request alone, so that the encoder and
 * the decoder of one exchange agree without sharing anything.
 */
export class ToolNames {
  readonly declared: readonly DeclaredTool[];
  readonly #rules: NameRules;
  readonly #byWire = new Map<string, NamedTool>();
  readonly #byName = new Map<string, string>();

  constructor(tools: readonly Tool[] | null | undefined, rules: NameRules) {
    this.#rules = rules;
    this.declared = (tools ?? []).flatMap((tool) => flatten(tool)).map((tool) => this.#declare(tool));
  }

  /** The wire's name of a tool; tools that the request does not declare, as old history may hold, are named by the same rules. */
  toWire(name: string, namespace?: string): string {
    const known = this.#byName.get(key(name, namespace));
    if (known !== undefined) return known;
    const fitted = fit(qualified(name, namespace), this.#rules);
    this.#byName.set(key(name, namespace), fitted);
    return fitted;
  }

  /** What a wire's name stands for; a name that nobody declared stands for itself. */
  fromWire(wireName: string): NamedTool {
    return this.#byWire.get(wireName) ?? { kind: "function", name: wireName };
  }

  #declare({ tool, namespace }: Flat): DeclaredTool {
    const wireName = this.#free(fit(qualified(tool.name, namespace), this.#rules));
    const named: NamedTool = { kind: tool.type, name: tool.name, ...(namespace === undefined ? {} : { namespace }) };
    this.#byWire.set(wireName, named);
    this.#byName.set(key(tool.name, namespace), wireName);
    if (tool.type === "custom")
      return { ...named, wireName, description: describe(tool), parameters: customInput, strict: false };
    const parameters =
      tool.parameters && Object.keys(tool.parameters).length > 0 ? tool.parameters : { type: "object", properties: {} };
    return { ...named, wireName, description: tool.description ?? undefined, parameters, strict: tool.strict ?? false };
  }

  /** Two names that a wire's rules make the same are told apart by a number. */
  #free(name: string): string {
    let free = name;
    for (let count = 2; this.#byWire.has(free); count += 1) free = `${name.slice(0, this.#rules.maxLength - 4)}_${count}`;
    return free;
  }
}

/** Whether a tool goes by another name on the wire than with the caller. */
export const isRenamed = ({ wireName, name }: DeclaredTool): boolean => wireName !== name;

interface Flat {
  tool: FunctionTool | CustomTool;
  namespace?: string;
}

function flatten(tool: Tool): Flat[] {
  const namespace = tool.type === "namespace" ? { namespace: tool.name } : {};
  return functionsOf(tool).map((inner) => ({ tool: inner, ...namespace }));
}

const isFunction = (tool: Tool): tool is FunctionTool | CustomTool => tool.type === "function" || tool.type === "custom";

/** What is in a tool that holds others. Callers may put there what no type allows. */
const innerOf = (tool: Tool): Tool[] => (tool.type === "namespace" && Array.isArray(tool.tools) ? tool.tools : []);

/** The functions that a tool stands for: itself, or those of a namespace. */
export const functionsOf = (tool: Tool): (FunctionTool | CustomTool)[] =>
  isFunction(tool) ? [tool] : innerOf(tool).filter(isFunction);

/** What else is in namespaces: a wire without them declares their functions alone. */
export const lostInNamespaces = (tools: readonly Tool[], api: string): Loss[] =>
  tools.flatMap((tool, index) =>
    innerOf(tool).flatMap((inner, at) =>
      isFunction(inner)
        ? []
        : [
            {
              path: `tools[${index}].tools[${at}]`,
              reason: `The ${api} does not support \`${inner.type}\` tools in namespaces.`,
            },
          ],
    ),
  );

const key = (name: string, namespace?: string): string => `${namespace ?? ""}\u0000${name}`;
const qualified = (name: string, namespace?: string): string =>
  namespace === undefined ? name : `${namespace}${separator}${name}`;

/** A name by the wire's rules: what it does not take becomes `_`, what is too long ends in a mark of its own. */
function fit(name: string, { allowed, first, maxLength }: NameRules): string {
  const clean = [...name].map((character) => (allowed.test(character) ? character : "_")).join("");
  const started = first && !first.test(clean[0] ?? "") ? `_${clean}` : clean;
  return started.length <= maxLength ? started : `${started.slice(0, maxLength - 9)}_${hash(name)}`;
}

// FNV-1a: short, the same everywhere, and no secret to keep.
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}

/** A free-form tool's description, with its grammar in words where the wire has no grammars. */
function describe({ description, format }: CustomTool): string | undefined {
  if (format?.type !== "grammar") return description;
  const grammar = `The input must follow this ${format.syntax} grammar:\n${format.definition}`;
  return description ? `${description}\n\n${grammar}` : grammar;
}
