import { errorOf } from "../core/classify-error.ts";
import { AntiphonError } from "../core/error.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { FinishReason } from "../core/views.ts";
import type { Reply } from "./reply.ts";
import { OutputError, RefusalError, RunError } from "./run-error.ts";
import type { Reading, TypedReader } from "./typed-output.ts";

/** Why a run that ended so has no output, where that is no error. */
const excuses: { readonly [Finish in FinishReason]?: string } = {
  tool_calls: "There is no output yet: the run is waiting for decisions about its pending calls.",
  cancelled: "There is no output: the run was cancelled.",
};

/** Why there is no output, for whoever asks for it all the same. */
export const excuseFor = (finish: FinishReason): string =>
  excuses[finish] ?? "There is no output: the run ended without an answer.";

const shortCodes: Readonly<Record<string, ErrorCode>> = { content_filter: "CONTENT_POLICY" };

/** Throws if a reply is a failure: of the run, or, where an output was asked for, of the answer. */
export function judge(reply: Reply, reader: TypedReader | undefined, reading: Reading<unknown> | undefined): void {
  if (reply.response.status === "failed") throw new RunError(errorOf(reply.response), reply);
  if (!reader || (reading && "value" in reading) || Object.hasOwn(excuses, reply.finish)) return;
  const { refusal } = reply;
  if (reply.finish === "refusal" && refusal !== undefined) throw new RefusalError(refusal, reply);
  const partial = reader.readPart(reply.text);
  if (reply.response.status === "incomplete") {
    const reason = reply.response.incomplete_details?.reason ?? "unknown";
    const message = `The answer is incomplete (${reason}). \`partial\` contains the part that arrived.`;
    throw new OutputError(new AntiphonError(shortCodes[reason] ?? "TRUNCATED", message), partial, reply);
  }
  if (reading)
    throw new OutputError(
      new AntiphonError("INVALID_OUTPUT", `The answer does not match the schema.\n${reading.problem}`),
      partial,
      reply,
    );
}
