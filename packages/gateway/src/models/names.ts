import type { ModelChoice, ModelSettings } from "./models-config.ts";

/** A name that clients use, or a pattern of such names, and what it stands for. */
export interface NamedModel extends Omit<ModelSettings, "use"> {
  /** As it was written. */
  name: string;
  choices: readonly ModelChoice[];
}

/** What a name was found under, and the part of it that the pattern leaves open. */
export interface Found {
  named: NamedModel;
  matched: string | undefined;
}

export const isPattern = (name: string): boolean => name.includes("*");

/** A pattern, or a target, with its open part filled in. */
export const fill = (pattern: string, part: string | undefined): string =>
  part === undefined ? pattern : pattern.replace("*", () => part);

/** The part of a name that a pattern leaves open; `undefined` where the name does not fit. */
export function openPart(pattern: string, name: string): string | undefined {
  const star = pattern.indexOf("*");
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const fits = name.length >= pattern.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}

/** The configured names. A name of its own goes before patterns, and a longer pattern before a shorter one. */
export class Names {
  readonly exact: ReadonlyMap<string, NamedModel>;
  readonly patterns: readonly NamedModel[];

  constructor(models: readonly NamedModel[]) {
    this.exact = new Map(models.flatMap((model) => (isPattern(model.name) ? [] : [[model.name, model]])));
    this.patterns = models.filter(({ name }) => isPattern(name)).toSorted((a, b) => b.name.length - a.name.length);
  }

  find(name: string): Found | undefined {
    const named = this.exact.get(name);
    if (named) return { named, matched: undefined };
    for (const pattern of this.patterns) {
      const matched = openPart(pattern.name, name);
      if (matched !== undefined) return { named: pattern, matched };
    }
    return undefined;
  }
}
