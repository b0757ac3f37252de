import { AntiphonError } from "../core/error.ts";
import type { Reply } from "./reply.ts";

// What these errors carry is in private fields, so that Node does not print a whole reply with an uncaught error.

/**
 * Thrown if a run started and then failed. Its `reply` contains the partial result. `reply` contains what arrived
 * before the failure.
 */
export class RunError extends AntiphonError {
  override readonly name: string = "RunError";
  readonly #reply: Reply;

  constructor(error: AntiphonError, reply: Reply) {
    super(error.code, error.message, { ...error, cause: error.cause });
    this.#reply = reply;
  }

  get reply(): Reply {
    return this.#reply;
  }
}

/** Thrown if the model refuses to answer in the requested format. `refusal` is its message. */
export class RefusalError extends RunError {
  override readonly name: string = "RefusalError";
  readonly #refusal: string;

  constructor(refusal: string, reply: Reply) {
    super(new AntiphonError("CONTENT_POLICY", `The model refused: ${refusal}`), reply);
    this.#refusal = refusal;
  }

  get refusal(): string {
    return this.#refusal;
  }
}

/**
 * Thrown if the answer does not match the output schema or is incomplete. `partial` is the part of it that could be
 * read.
 */
export class OutputError extends RunError {
  override readonly name: string = "OutputError";
  readonly #partial: unknown;

  constructor(error: AntiphonError, partial: unknown, reply: Reply) {
    super(error, reply);
    this.#partial = partial;
  }

  get partial(): unknown {
    return this.#partial;
  }
}
