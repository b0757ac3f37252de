import { AntiphonError } from "./error.ts";

/**
 * Runs the body of a public async function, and makes an `AntiphonError` that it throws point to the caller of that function. V8 knows
 * who awaits a promise, but not who made a promise that nobody awaits, so the stack is also captured before the body runs. That takes a
 * few microseconds.
 */
export async function fromCaller<T>(body: () => Promise<T>): Promise<T> {
  const start: { stack?: string } = {};
  Error.captureStackTrace?.(start, fromCaller);
  try {
    return await body();
  } catch (thrown) {
    // After an `await`, the stack contains only the functions that await this one.
    await Promise.resolve();
    throw pointToCaller(thrown, fromCaller, start.stack);
  }
}

/**
 * Replaces the frames of an `AntiphonError` with those that await `entry`, or else with those of `start`. Otherwise the frames of this
 * library, of which V8 keeps ten, would hide the caller's. Frames of a hook or a tool of the caller that threw the error are kept.
 * Runtimes without `Error.captureStackTrace` keep the original stack.
 */
export function pointToCaller(thrown: unknown, entry: (...args: never) => unknown, start = ""): unknown {
  if (!(thrown instanceof AntiphonError) || !Error.captureStackTrace) return thrown;
  hideFrames(thrown.cause);
  const now: { stack?: string } = {};
  Error.captureStackTrace(now, entry);
  const awaiting = callerFrames(now.stack);
  const started = callerFrames(start);
  const lines = new Set([...awaiting, ...started].map(lineOf));
  const hooks = callerFrames(thrown.stack).filter((frame) => !lines.has(lineOf(frame)));
  const frames = [...hooks, ...(awaiting.length > 0 ? awaiting : started)];
  // Node prints the source line of the top frame, unless the stack was written; that line should be the caller's.
  const isCallerOnTop = awaiting[0] !== undefined && now.stack?.split("\n")[1] === awaiting[0];
  if (hooks.length === 0 && isCallerOnTop) Error.captureStackTrace(thrown, entry);
  else if (frames.length > 0) thrown.stack = withFrames(thrown, frames);
  return thrown;
}

/** Removes the frames of this library from the errors that it keeps as causes. Node prints the whole chain. */
function hideFrames(cause: unknown, maxDepth = 4): void {
  if (!(cause instanceof Error) || maxDepth === 0) return;
  const inner: readonly unknown[] = cause instanceof AggregateError ? cause.errors : [];
  if (cause instanceof AntiphonError || cause instanceof AggregateError)
    cause.stack = withFrames(cause, callerFrames(cause.stack));
  for (const error of [cause.cause, ...inner]) hideFrames(error, maxDepth - 1);
}

const withFrames = ({ name, message }: Error, frames: readonly string[]): string => [`${name}: ${message}`, ...frames].join("\n");

/** The frames outside installed packages and the runtime. */
const callerFrames = (stack = ""): string[] =>
  stack.split("\n").filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line) && !/[\\/]node_modules[\\/]|[ (]node:/.test(line));

/** File and line of a frame. The column of an `await` differs from that of the call. */
const lineOf = (frame: string): string => frame.replace(/^.*[ (]/, "").replace(/:\d+\)?$/, "");
