import process from "node:process";
import type { ChatIo } from "./settings.ts";

/** The streams and signals of this process. */
export function processIo(): ChatIo {
  const ending = new AbortController();
  for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => ending.abort());
  return {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    env: process.env,
    signal: ending.signal,
    onInterrupt: (listener) => {
      process.on("SIGINT", listener);
      return () => void process.off("SIGINT", listener);
    },
    ...(process.platform === "win32" ? {} : { suspend }),
  };
}

const suspend = (): Promise<void> =>
  new Promise((resolve) => {
    process.once("SIGCONT", () => resolve());
    process.kill(process.pid, "SIGTSTP");
  });
