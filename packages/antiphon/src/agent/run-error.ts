import { AntiphonError } from "../core/error.ts";
import type { Reply } from "./reply.ts";

// What these errors carry is in private fields, so that Node does not print a whole reply with an uncaught error.

/** A run that began and failed. `reply` holds what arrived before the failure. */
export class RunError extends AntiphonError {
  readonly #reply: Reply;

  constructor(error: AntiphonError, reply: Reply) {
    super(error.code, error.message, { ...error, cause: error.cause });
    this.#reply = reply;
  }

  get reply(): Reply {
    return this.#reply;
  }
}

/** The model declined to answer in the requested form. `refusal` is its message. */
export class RefusalError extends RunError {
  readonly #refusal: string;

  constructor(refusal: string, reply: Reply) {
    super(new AntiphonError("CONTENT_POLICY", `The model declined: ${refusal}`), reply);
    this.#refusal = refusal;
  }

  get refusal(): string {
    return this.#refusal;
  }
}

/** The answer does not match the schema, or is incomplete. `partial` is what could be read of it. */
export class OutputError extends RunError {
  readonly #partial: unknown;

  constructor(error: AntiphonError, partial: unknown, reply: Reply) {
    super(error, reply);
    this.#partial = partial;
  }

  get partial(): unknown {
    return this.#partial;
  }
}
