import type { Path } from "./check.ts";

const longEnough = 16;

/** A secret as it may be shown: its end, where it is so long that nothing can be made of that. */
const masked = (secret: string): string => (secret.length < longEnough ? "***" : `***${secret.slice(-4)}`);

/** Names of what is nobody else's business, and of tables in which nothing is. */
const secretName = /(key|token|secret|password|authorization|cookie)$/i;
const secretTables: ReadonlySet<string> = new Set(["headers", "env"]);
const withPassword = /^([a-z][a-z\d+.-]*:\/\/[^:/@\s]*:)[^@\s]+@/i;

/** A value as it may be shown: keys are masked, and so is a password in a URL. */
export function shownValue(value: unknown, path: Path): unknown {
  if (typeof value !== "string") return value;
  const isSecret = secretName.test(path.at(-1) ?? "") || secretTables.has(path.at(-2) ?? "");
  return isSecret ? masked(value) : value.replace(withPassword, "$1***@");
}
