import { isObject, type JsonObject } from "../model/guards.ts";
import { follow, schemaList, schemaMap } from "./json-schema.ts";

/** How large a strict schema may be, as OpenAI publishes it. */
const limits = {
  properties: { most: 5_000, what: "properties" },
  levels: { most: 10, what: "levels of nesting" },
  choices: { most: 1_000, what: "enum values" },
  characters: { most: 120_000, what: "characters in names and values" },
} as const;

type Sizes = Record<keyof typeof limits, number>;

/** Levels that a schema may have before anything but a mistake, or an endless one, is ruled out. */
export const mostLevels: number = limits.levels.most;

/** From this many on, the choices of one `enum` share a smaller budget of characters. */
const longEnum = { choices: 250, characters: 15_000 };

const lengthOf = (value: unknown): number => String(value).length;

/** Counts what the limits speak of. Levels are followed through references, but not around circles. */
class Measure {
  readonly sizes: Sizes = { properties: 0, levels: 0, choices: 0, characters: 0 };
  hasLongEnum = false;
  readonly #root: JsonObject;
  /** The most levels that each definition was measured at: measuring it again at fewer would tell nothing. */
  readonly #measured = new Map<unknown, number>();

  constructor(root: JsonObject) {
    this.#root = root;
    for (const [name, schema] of Object.entries(schemaMap(root["$defs"]))) {
      this.sizes.characters += name.length;
      this.#count(schema);
    }
    this.#count(root);
    this.#descend(root, 0, new Set());
  }

  #count(schema: unknown): void {
    if (!isObject(schema)) return;
    const { properties, items, anyOf, enum: choices, const: constant } = schema;
    for (const [name, inner] of Object.entries(schemaMap(properties))) {
      this.sizes.properties += 1;
      this.sizes.characters += name.length;
      this.#count(inner);
    }
    this.#countChoices(constant === undefined ? schemaList(choices) : [constant]);
    this.#count(items);
    for (const branch of schemaList(anyOf)) this.#count(branch);
  }

  #countChoices(choices: readonly unknown[]): void {
    const characters = choices.reduce<number>((sum, choice) => sum + lengthOf(choice), 0);
    this.sizes.choices += choices.length;
    this.sizes.characters += characters;
    this.hasLongEnum ||= choices.length > longEnum.choices && characters > longEnum.characters;
  }

  #descend(schema: unknown, level: number, path: ReadonlySet<unknown>): void {
    if (!isObject(schema) || path.has(schema) || (this.#measured.get(schema) ?? -1) >= level) return;
    this.#measured.set(schema, level);
    const inner = new Set(path).add(schema);
    const here = isObject(schema["properties"]) || isObject(schema["items"]) ? level + 1 : level;
    this.sizes.levels = Math.max(this.sizes.levels, here);
    for (const property of Object.values(schemaMap(schema["properties"]))) this.#descend(property, here, inner);
    this.#descend(schema["items"], here, inner);
    for (const branch of schemaList(schema["anyOf"])) this.#descend(branch, level, inner);
    if (typeof schema["$ref"] === "string") this.#descend(follow(this.#root, schema["$ref"])?.schema, level, inner);
  }
}

/** Why a strict schema is too large, if it is. */
export function overLimits(schema: JsonObject): string[] {
  const { sizes, hasLongEnum } = new Measure(schema);
  const names = Object.keys(limits) as (keyof typeof limits)[];
  const over = names.filter((name) => sizes[name] > limits[name].most);
  return [
    ...over.map(
      (name) => `it has ${sizes[name]} ${limits[name].what}, more than the ${limits[name].most} that strict mode allows`,
    ),
    ...(hasLongEnum ? [`an enum with more than ${longEnum.choices} values has more than ${longEnum.characters} characters`] : []),
  ];
}
