import { expect, test } from "vitest";
import { estimateTokens } from "../../src/conversation/token-count.ts";
import { responsesRecordings } from "../support/recordings.ts";

interface Answer {
  output?: { type: string; content?: { text?: string }[] }[];
  tools?: unknown[];
  usage?: { output_tokens: number; output_tokens_details?: { reasoning_tokens?: number } };
}

test("estimateTokens comes close to what providers reported for their answers", () => {
  let reported = 0;
  let estimated = 0;
  for (const recording of responsesRecordings()) {
    if (recording.stream || recording.status !== 200) continue;
    const { output, usage, tools } = recording.json() as Answer;
    if (!usage || tools?.length || !output?.every(({ type }) => type === "message")) continue;
    // A count of what was hidden would be a count of something else.
    if ((usage.output_tokens_details?.reasoning_tokens ?? 0) > 0) continue;
    reported += usage.output_tokens;
    for (const { content = [] } of output) for (const { text = "" } of content) estimated += estimateTokens(text);
  }
  expect(reported).toBeGreaterThan(3_000);
  expect(estimated / reported).toBeGreaterThan(0.85);
  expect(estimated / reported).toBeLessThan(1.15);
});
