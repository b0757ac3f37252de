import { AntiphonError } from "../core/error.ts";
import type { Reply } from "./reply.ts";

/** A run that began and failed. `reply` holds what had arrived by then. */
export class RunError extends AntiphonError {
  override readonly name: string = "RunError";
  readonly reply: Reply;

  constructor(error: AntiphonError, reply: Reply) {
    super(error.code, error.message, { ...error, cause: error.cause });
    this.reply = reply;
  }
}

/** The model declined to answer in the requested form. `refusal` is what it said. */
export class RefusalError extends RunError {
  override readonly name: string = "RefusalError";
  readonly refusal: string;

  constructor(refusal: string, reply: Reply) {
    super(new AntiphonError("CONTENT_POLICY", `The model declined: ${refusal}`), reply);
    this.refusal = refusal;
  }
}

/**
 * The answer does not match the schema (`INVALID_OUTPUT`), or ended early (`TRUNCATED`, `CONTENT_POLICY`). `partial` is
 * the part of it that could be read.
 */
export class OutputError extends RunError {
  override readonly name: string = "OutputError";
  readonly partial: unknown;

  constructor(error: AntiphonError, partial: unknown, reply: Reply) {
    super(error, reply);
    this.partial = partial;
  }
}
