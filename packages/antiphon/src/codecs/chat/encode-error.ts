import { errorOf } from "../../core/classify-error.ts";
import { AntiphonError } from "../../core/error.ts";
import type { ResponseResource } from "../../model/index.ts";
import { wireErrors } from "../responses/wire-errors.ts";

const types: Readonly<Record<(typeof wireErrors)[keyof typeof wireErrors]["type"], string>> = {
  server_error: "server_error",
  model_error: "server_error",
  invalid_request: "invalid_request_error",
  not_found: "invalid_request_error",
  too_many_requests: "rate_limit_error",
};

/** An error as OpenAI's clients read it. */
export function encodeError(error: AntiphonError): { status: number; body: { error: object } } {
  const { status, type, code } = wireErrors[error.code];
  return { status, body: { error: { message: error.message, type: types[type], param: error.param ?? null, code } } };
}

/** The chunk that a stream breaks off with. */
export function encodeFailure(response: ResponseResource): object {
  if (response.status !== "failed") return encodeError(new AntiphonError("ABORTED", "The response was cancelled.")).body;
  return encodeError(errorOf(response)).body;
}
