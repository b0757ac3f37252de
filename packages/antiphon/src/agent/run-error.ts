import { AntiphonError } from "../core/error.ts";
import type { Reply } from "./reply.ts";

/** A run that began and failed. What it had brought until then is not lost: it is the `reply`. */
export class RunError extends AntiphonError {
  readonly reply: Reply;

  constructor(error: AntiphonError, reply: Reply) {
    super(error.code, error.message, { ...error, cause: error.cause });
    this.reply = reply;
  }
}

/** The model declined to answer in the form that was asked for. `refusal` is what it said. */
export class RefusalError extends RunError {
  readonly refusal: string;

  constructor(refusal: string, reply: Reply) {
    super(new AntiphonError("CONTENT_POLICY", `The model declined: ${refusal}`), reply);
    this.refusal = refusal;
  }
}

/** The answer does not fit the schema, or stopped short of its end. `partial` is what could be read of it. */
export class OutputError extends RunError {
  readonly partial: unknown;

  constructor(error: AntiphonError, partial: unknown, reply: Reply) {
    super(error, reply);
    this.partial = partial;
  }
}
