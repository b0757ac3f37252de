import { maskSecrets } from "antiphon/middleware";
import { errorFields, type Level, type Line } from "./fields.ts";

/** How a line is written, its end not included. Never throws. */
export type WriteLine = (line: Line, now: Date, stringify: (value: unknown) => string) => string;

/** One JSON object a line, for machines. */
export const jsonLine: WriteLine = ({ level, message, ...fields }, now, stringify) =>
  stringify({ time: now.toISOString(), level, message, ...fields });

const labels: Readonly<Record<Level, string>> = { debug: "debug", info: "info ", warn: "WARN ", error: "ERROR" };

/** The same for people: what happened first, then the rest. */
export const textLine: WriteLine = ({ level, message, ...fields }, now, stringify) => {
  const rest = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? bare(value) : stringify(value)}`);
  return [now.toTimeString().slice(0, 8), labels[level], message, ...rest].join(" ");
};

/** Terminals obey what a client may have put into a name: anything but plain words is shown with its escapes. */
const bare = (text: string): string => (/^[\w.,:;/@+-]+$/.test(text) ? text : JSON.stringify(text));

/** For lines that hold nothing but what the gateway itself made. */
export const writePlain = (write: WriteLine, line: Line, now: Date): string => write(line, now, JSON.stringify);

/** For all others. It costs some ten times as much: errors are read, and the whole is searched for keys. */
export const writeMasked = (write: WriteLine, line: Line, now: Date): string => maskSecrets(write(line, now, stringifyAnything));

function stringifyAnything(value: unknown): string {
  try {
    return JSON.stringify(value, readErrors) ?? "undefined";
  } catch {
    // What holds itself cannot be written as a whole.
    return JSON.stringify(value, (name, inner: unknown) => (name === "" || Object(inner) !== inner ? scalar(inner) : undefined));
  }
}

/** Looks at the holder: what an error makes of itself for JSON, which comes as the value, leaves out its cause. */
function readErrors(this: Record<string, unknown>, name: string, inner: unknown): unknown {
  const { [name]: held } = this;
  return held instanceof Error ? errorFields(held) : inner;
}

const scalar = (value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
