import type { RequestFacts, RunFacts } from "../../src/telemetry/telemetry.ts";

export const requestFacts = (facts: Partial<RequestFacts> = {}): RequestFacts => ({
  method: "POST",
  route: "/v1/responses",
  status: 200,
  milliseconds: 12.34,
  owner: "ada",
  requestId: "req_1",
  ...facts,
});

export const runFacts = (facts: Partial<RunFacts> = {}): RunFacts => ({
  id: "resp_1",
  model: "fast",
  provider: "openai",
  upstreamModel: "gpt-5-mini",
  status: "completed",
  error: undefined,
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens_details: { reasoning_tokens: 5 },
  },
  cost: 0.25,
  streamed: true,
  background: false,
  firstOutput: 40,
  milliseconds: 2_000,
  owner: "ada",
  requestId: "req_1",
  ...facts,
});
