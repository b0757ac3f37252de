import { errorCodes, type ErrorCode } from "./error-codes.ts";

/** What is known about a failure, beside its code and message. */
export interface ErrorDetails {
  /** The provider that failed. */
  provider?: string;
  /** The HTTP status, where there was an answer. */
  status?: number;
  /** The provider's id of the request, to quote to its support. */
  requestId?: string;
  /** The field of the request that is at fault. */
  param?: string;
  /** How long the provider asks to wait, in milliseconds. */
  retryAfter?: number;
  /** The provider's own code or type, as it wrote it. */
  vendorCode?: string;
  cause?: unknown;
}

const longest = 2_000;

/**
 * The error class of this library. `code` comes from a closed list; `advice` says what to do. `code` comes from a
 * closed list; `advice`, if any, says what to do. Unknown details are absent, so that Node does not print them as
 * `undefined`.
 *
 * @example
 * try { await collect(respond(request)); }
 * catch (error) { if (error instanceof AntiphonError && error.code === "QUOTA_EXCEEDED") askForMoney(); }
 */
export class AntiphonError extends Error {
  override readonly name: string = "AntiphonError";
  readonly code: ErrorCode;
  // `declare`, because a plain field would exist with the value `undefined`.
  /** What the reader can do about it; absent if the message says everything. */
  declare readonly advice?: string;
  declare readonly provider?: string;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly param?: string;
  declare readonly retryAfter?: number;
  declare readonly vendorCode?: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { provider, status, requestId, param, retryAfter, vendorCode, cause } = details;
    super(message.length > longest ? `${message.slice(0, longest)}…` : message, cause === undefined ? undefined : { cause });
    this.code = code;
    const known = { advice: adviceFor(code, param), provider, status, requestId, param, retryAfter, vendorCode };
    for (const [field, value] of Object.entries(known)) if (value !== undefined) Object.assign(this, { [field]: value });
  }

  /** The same error with more details. */
  with(details: ErrorDetails): AntiphonError {
    const error = new AntiphonError(this.code, this.message, { ...this, cause: this.cause, ...details });
    if (this.stack) error.stack = this.stack;
    return error;
  }

  toJSON(): object {
    const { code, message, advice, provider, status, requestId, param, retryAfter, vendorCode } = this;
    return { code, message, advice, provider, status, requestId, param, retryAfter, vendorCode };
  }
}

/** The advice for a code. For a bad request, it depends on the parameter. */
function adviceFor(code: ErrorCode, param: string | undefined): string | undefined {
  if (code !== "BAD_REQUEST") return errorCodes[code].advice;
  return param === undefined ? undefined : `Correct \`${param}\`.`;
}

/** What was thrown, in words. Anything may be thrown, also what cannot be made text. */
export function messageOf(thrown: unknown): string {
  try {
    // Errors of another realm are none of this one's, but they have a message too.
    const told = typeof thrown === "object" && thrown !== null && "message" in thrown ? thrown.message : thrown;
    return String(told);
  } catch {
    return "A value was thrown that cannot be converted to text.";
  }
}

/** Any thrown value as an `AntiphonError`; its own kind passes as it is. */
export const toAntiphonError = (value: unknown, code: ErrorCode): AntiphonError =>
  value instanceof AntiphonError ? value : new AntiphonError(code, messageOf(value), { cause: value });

/** The error of a call that was stopped; a reason that is an `AntiphonError` speaks for itself. */
export const abortError = (reason: unknown): AntiphonError =>
  reason instanceof AntiphonError ? reason : new AntiphonError("ABORTED", "The caller cancelled the request.", { cause: reason });
