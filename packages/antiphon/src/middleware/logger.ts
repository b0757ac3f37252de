import { errorOf } from "../core/classify-error.ts";
import { checkOptions, func, oneOf, yesOrNo, type Rules } from "../core/options.ts";
import { batchesOf, fromBatches, type Middleware } from "../core/respond.ts";
import type { CreateResponse, InputItem, Item, ResponseStatus, Usage } from "../model/index.ts";
import { isOutput } from "../core/seen-events.ts";
import { Passage, type Ending } from "./passage.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";

/** One line of the log: a call begins or ends. */
export interface LogLine {
  event: "start" | "end";
  level: LogLevel;
  /** Tells calls apart that overlap: they are counted. */
  call: number;
  model: string | null;
  /** How it ended; `left` is a reader who went before the end, `thrown` an error before the first event. */
  status?: ResponseStatus | "left" | "thrown";
  /** Milliseconds from the first read to the end, and to the first output. */
  ms?: number;
  firstMs?: number;
  usage?: Usage | null;
  error?: { code: string; message: string };
  /** Only where `content` asks for it. */
  instructions?: string | null;
  input?: string | readonly InputItem[] | null;
  output?: readonly Item[];
}

/** What is logged, and where to. */
export interface LoggerOptions {
  /** Given each line as data; where left out, it goes to the console's method of that level as JSON. */
  log?(line: LogLine): void;
  /** Nothing below it is logged. A start is `debug`, a good end `info`, a short one `warn`, a failure `error`. */
  level?: LogLevel;
  /** Whether what was said is logged too. It may be private: off unless asked for. */
  content?: boolean;
  now?(): number;
}

const loggerRules: Rules<LoggerOptions> = {
  log: func,
  level: oneOf("debug", "info", "warn", "error"),
  content: yesOrNo,
  now: func,
};

const weights: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };
const toConsole = (line: LogLine): void => console[line.level](JSON.stringify(line));

/**
 * Middleware that logs the start and end of each call as data, without content, headers or keys.
 *
 * @example
 * const respond = logger({ level: "debug" })(connect(provider("openai")));
 */
export function logger(options: LoggerOptions = {}): Middleware {
  checkOptions("logger", options, loggerRules);
  const { log = toConsole, level = "info", content = false, now = () => performance.now() } = options;
  const write = (line: LogLine): void => {
    if (weights[line.level] >= weights[level]) log(line);
  };
  let calls = 0;
  return (next) => (request, call) =>
    fromBatches(() => {
      const id = (calls += 1);
      const begun = now();
      let firstMs: number | undefined;
      write({ event: "start", level: "debug", call: id, model: request.model ?? null, ...(content ? said(request) : {}) });
      return new Passage({
        open: () => batchesOf(next(request, call)),
        batch: (events) => {
          if (firstMs === undefined && events.some(isOutput)) firstMs = now() - begun;
        },
        ended: (ending) => {
          const times = { ms: now() - begun, ...(firstMs === undefined ? {} : { firstMs }) };
          const model = ending.response?.model ?? request.model ?? null;
          const output = content && ending.response ? { output: ending.response.output } : {};
          write({ event: "end", call: id, model, ...times, ...outcomeOf(ending), ...output });
        },
      });
    });
}

const said = ({ instructions, input }: CreateResponse): Pick<LogLine, "instructions" | "input"> => ({
  ...(instructions == null ? {} : { instructions }),
  ...(input == null ? {} : { input }),
});

function outcomeOf({ response, error, left }: Ending): Pick<LogLine, "level" | "status" | "usage" | "error"> {
  if (error) return { level: error.code === "ABORTED" ? "warn" : "error", status: "thrown", error: brief(error) };
  if (left) return { level: "warn", status: "left" };
  if (!response) return { level: "info", status: "in_progress" };
  const { status, usage } = response;
  if (status === "failed") return { level: "error", status, usage, error: brief(errorOf(response)) };
  return { level: status === "completed" ? "info" : "warn", status, usage };
}

const brief = ({ code, message }: { code: string; message: string }): { code: string; message: string } => ({ code, message });
