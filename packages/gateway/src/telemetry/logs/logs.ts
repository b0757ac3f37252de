import type { Writable } from "node:stream";
import { isatty } from "node:tty";
import type { LogEntry, Telemetry } from "../telemetry.ts";
import { requestLevel, requestLine, runLevel, runLine, type Level } from "./fields.ts";
import { descriptorOutlet, LineWriter, streamOutlet } from "./outlet.ts";
import { jsonLine, textLine, writeMasked, writePlain } from "./write-line.ts";

/** What is logged, and how. */
export interface LogOptions {
  /** Nothing below it is logged; `info` where nothing is said. */
  level?: Level;
  /** `json`, a line each; or `text` for people. By default as fits: text where it goes to a terminal. */
  format?: "json" | "text";
  /** Whether what was asked and answered is logged too. It may be private: off unless asked for. */
  content?: boolean;
  /** Where lines go: standard error, where nothing else is said. */
  to?: Writable;
  /** How much may wait for a slow reader, in characters; beyond it, lines are dropped and counted. */
  maxWaiting?: number;
  now?(): Date;
}

/** A log, and what it had to leave out. */
export interface Logs extends Telemetry {
  readonly dropped: number;
  close(): Promise<void>;
}

const weights: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const standardError = 2;
const closingMs = 2_000;

/**
 * Creates a telemetry sink that writes one line for each request, response and other event. Keys are masked wherever
 * they turn up, and what was said is left out unless asked for. It never holds up the gateway.
 *
 * @example
 * const telemetry = logs({ level: "debug", format: "json" });
 */
export function logs(options: LogOptions = {}): Logs {
  const { level = "info", content = false, to, maxWaiting = 4 * 1024 * 1024, now = () => new Date() } = options;
  const outlet = to ? streamOutlet(to) : descriptorOutlet(standardError, isatty(standardError));
  const lines = new LineWriter(outlet, maxWaiting);
  const format = (options.format ?? (outlet.isTerminal ? "text" : "json")) === "text" ? textLine : jsonLine;
  const isWanted = (wanted: Level): boolean => weights[wanted] >= weights[level];
  const write = (line: LogEntry, how: typeof writePlain): void => lines.write(`${how(format, line, now())}\n`);
  return {
    get dropped() {
      return lines.dropped;
    },
    request: (facts) => {
      if (isWanted(requestLevel(facts))) write(requestLine(facts), writePlain);
    },
    run: (facts) => {
      if (isWanted(runLevel(facts))) write(runLine(facts, content), content ? writeMasked : writePlain);
    },
    log: (entry) => {
      if (isWanted(entry.level)) write(entry, writeMasked);
    },
    close: () => lines.flush(closingMs),
  };
}
