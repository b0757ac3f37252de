import { describe, expect, test } from "vitest";
import { completeResponse } from "../../../src/codecs/responses/complete.ts";
import { blankResponse } from "../../../src/core/blank-response.ts";
import type { CreateResponse, ResponseResource } from "../../../src/model/index.ts";
import { testCtx } from "../../support/ctx.ts";

const bare: CreateResponse = { model: "m" };
const full: CreateResponse = {
  model: "m",
  previous_response_id: "resp_0",
  instructions: "Be brief.",
  max_tool_calls: 3,
  reasoning: { effort: "low" },
  max_output_tokens: 100,
  safety_identifier: "somebody",
  prompt_cache_key: "key",
};

/** The response of a server that forgot something, completed; and what had to be put right. */
function completed(request: CreateResponse, change: (response: Record<string, unknown>) => void) {
  const raw: Record<string, unknown> = { ...blankResponse("resp_1", 1, request) };
  change(raw);
  const rules: string[] = [];
  return { response: completeResponse(raw, { ...testCtx(), request }, (rule) => rules.push(rule)), rules };
}

const fields = Object.keys(blankResponse("resp_1", 1, bare)) as (keyof ResponseResource)[];

describe.each([
  ["that was asked for little", bare],
  ["that was asked for much", full],
])("a response %s", (_, request) => {
  const blank = blankResponse("resp_1", 1, request);

  test("that has all fields is left as it is", () => {
    const { response, rules } = completed(request, () => {});
    expect(response).toEqual(blank);
    expect(rules).toEqual([]);
  });

  test.each(fields.filter((field) => !["id", "created_at", "output"].includes(field)))("gets back the field %s", (field) => {
    const missing = completed(request, (response) => delete response[field]);
    expect(missing.response[field]).toEqual(blank[field]);
    expect(missing.rules).toEqual(["response-field-missing"]);
  });

  test.each(fields.filter((field) => blank[field] !== null && !["id", "created_at", "output"].includes(field)))(
    "has no null for the field %s",
    (field) => {
      const { response } = completed(request, (raw) => (raw[field] = null));
      expect(response[field]).toEqual(blank[field]);
    },
  );
});
