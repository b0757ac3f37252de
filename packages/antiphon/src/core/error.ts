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
 * The one error that this library throws. `code` is of a closed list; `advice`, if any, says what to do.
 *
 * @example
 * try { await collect(respond(request)); }
 * catch (error) { if (error instanceof AntiphonError && error.code === "QUOTA_EXCEEDED") askForMoney(); }
 */
export class AntiphonError extends Error {
  override readonly name: string = "AntiphonError";
  readonly code: ErrorCode;
  readonly provider: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly param: string | undefined;
  readonly retryAfter: number | undefined;
  readonly vendorCode: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message.length > longest ? `${message.slice(0, longest)}…` : message, { cause: details.cause });
    this.code = code;
    this.provider = details.provider;
    this.status = details.status;
    this.requestId = details.requestId;
    this.param = details.param;
    this.retryAfter = details.retryAfter;
    this.vendorCode = details.vendorCode;
  }

  /** What the reader can do about it; `undefined` if the message says everything. */
  get advice(): string | undefined {
    if (this.code !== "BAD_REQUEST") return errorCodes[this.code].advice;
    return this.param === undefined ? undefined : `Correct \`${this.param}\`.`;
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

/** What was thrown, in words. Anything may be thrown, also what cannot be made text. */
export function messageOf(thrown: unknown): string {
  try {
    // Errors of another realm are none of this one's, but they have a message too.
    const told = typeof thrown === "object" && thrown !== null && "message" in thrown ? thrown.message : thrown;
    return String(told);
  } catch {
    return "Something was thrown that has no words.";
  }
}

/** Any thrown value as an `AntiphonError`; its own kind passes as it is. */
export const toAntiphonError = (value: unknown, code: ErrorCode): AntiphonError =>
  value instanceof AntiphonError ? value : new AntiphonError(code, messageOf(value), { cause: value });

/** The error of a call that was stopped; a reason that is an `AntiphonError` speaks for itself. */
export const abortError = (reason: unknown): AntiphonError =>
  reason instanceof AntiphonError ? reason : new AntiphonError("ABORTED", "The caller stopped the request.", { cause: reason });
