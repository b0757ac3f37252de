/** Environment variables, or whatever stands in for them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's own variables; none in a browser or a worker. */
// Not every runtime has `process`, whatever the types of one of them say.
const processEnvironment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {};

/** The first variable that is set and not empty. */
export function readVariable(names: readonly string[], environment: Environment = processEnvironment()): string | undefined {
  for (const name of names) {
    const value = environment[name]?.trim();
    if (value) return value;
  }
  return undefined;
}

/** `A, B or C`, for sentences. */
export const alternatives = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
