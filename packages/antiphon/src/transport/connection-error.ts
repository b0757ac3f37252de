import { AntiphonError } from "../core/error.ts";

/** The cause of an error that occurred before the connection was open, so that the request cannot have been sent. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    // It repeats the error whose cause it is, so its frames would only lengthen what Node prints.
    this.stack = `NotConnected: ${message}`;
  }
}

/** How far an exchange had come when it broke. */
export type Phase = "connect" | "answer" | "body";

const stories: Readonly<Record<Phase, (host: string) => string>> = {
  connect: (host) => `Could not connect to ${host}`,
  answer: (host) => `The connection to ${host} broke before the response arrived`,
  body: (host) => `The connection to ${host} broke during the response`,
};

/** A broken connection, told by the host's name and the system's code, without anything of the request. */
export function connectionError(host: string, phase: Phase, cause: unknown): AntiphonError {
  const code = systemCode(cause);
  const message = `${stories[phase](host)}${code ? ` (${code})` : ""}.`;
  if (code?.startsWith("HPE_")) return protocolError(host, code, cause);
  return new AntiphonError("CONNECTION_ERROR", message, {
    cause: phase === "connect" ? new NotConnected(message, { cause }) : cause,
  });
}

/** An answer that is not HTTP, told by what is wrong with it. */
export const protocolError = (host: string, what: string, cause?: unknown): AntiphonError =>
  new AntiphonError("PROTOCOL", `${host} sent an invalid HTTP response (${what}).`, { cause });

/** A connection that did not stand in time. */
export function connectTimeoutError(host: string, timeout: number): AntiphonError {
  const message = `Connecting to ${host} took longer than ${timeout} ms (\`timeouts.connect\`).`;
  return new AntiphonError("TIMEOUT", message, { cause: new NotConnected(message) });
}

/** The system's code for a failure, which some runtimes wrap once or twice. */
export function systemCode(error: unknown): string | undefined {
  for (let inner = error, depth = 0; typeof inner === "object" && inner !== null && depth < 4; depth += 1) {
    const { code, cause } = inner as { code?: unknown; cause?: unknown };
    if (typeof code === "string") return code;
    inner = cause;
  }
  return undefined;
}
