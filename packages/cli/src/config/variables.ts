import { nearest } from "../nearest.ts";
import { scalars, variableOf } from "./schema.ts";

/** Variables of the program that are not configuration keys. */
const otherVariables = ["ANTIPHON_CONFIG", "ANTIPHON_KEY", "ANTIPHON_SOAK"];

/** The `ANTIPHON_…` variables in the environment that set nothing, each with the variable that was probably meant. */
export function misspeltVariables(
  env: Readonly<Record<string, string | undefined>>,
): { name: string; meant: string | undefined }[] {
  const unknown = Object.keys(env).filter((name) => name.startsWith(prefix) && !otherVariables.includes(name));
  if (unknown.length === 0) return [];
  const known = [...[...scalars()].map(({ path }) => variableOf(path)), ...otherVariables];
  // Without the prefix, which all of them share and which would make everything look similar.
  const short = known.map((name) => name.slice(prefix.length));
  return unknown
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = nearest(name.slice(prefix.length), short);
      return { name, meant: meant === undefined ? undefined : prefix + meant };
    });
}

const prefix = "ANTIPHON_";
