import { expect, test } from "vitest";
import { responsesCodec } from "../../../src/codecs/responses/index.ts";
import { expand } from "../../../src/core/expand.ts";
import { lifecycleLaw } from "../../../src/testing/laws.ts";
import { testCtx } from "../../support/ctx.ts";

test.each<{ what: string; fields: object; status: string }>([
  { what: "an unknown status", fields: { status: "complete" }, status: "completed" },
  { what: "no status", fields: {}, status: "completed" },
  { what: "no status but an error", fields: { error: { code: "server_error", message: "Oops" } }, status: "failed" },
  {
    what: "an unknown status and incomplete_details",
    fields: { status: "cut", incomplete_details: { reason: "x" } },
    status: "incomplete",
  },
  { what: "the status in_progress", fields: { status: "in_progress" }, status: "in_progress" },
])("a plain answer with $what is read as $status", ({ fields, status }) => {
  const reply = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [], ...fields };
  const response = responsesCodec().decodeResponse(testCtx(), reply);
  expect(response.status).toBe(status);
  if (status !== "in_progress") expect(lifecycleLaw(expand(response))).toBeUndefined();
});
