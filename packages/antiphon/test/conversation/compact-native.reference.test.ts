import { expect, test } from "vitest";
import { provider } from "../../src/providers/registry.ts";
import { compactItems } from "../../src/transport/compact.ts";
import type { WireUpstream } from "../../src/transport/upstream.ts";
import type { CreateResponse } from "../../src/model/index.ts";
import { recordings } from "../support/recordings.ts";
import { serve } from "../transport/support/servers.ts";

const at = (origin: string): WireUpstream => provider("openai:gpt-5.2", { baseUrl: `${origin}/v1`, apiKey: "k" }) as WireUpstream;
const compactions = recordings("openai-responses").filter(({ id, status }) => /compact/.test(id) && status === 200);
const recorded = compactions.filter((recording) => recording.meta().url?.endsWith("/responses/compact") && !recording.stream);

test.each(recorded.map((recording) => [recording.id, recording] as const))(
  "compactItems sends and reads the exchange of %s",
  async (_, recording) => {
    const { origin, seen } = await serve((response) => {
      response.setHeader("content-type", "application/json");
      response.end(recording.body());
    });
    const { model, input, instructions } = recording.request() as CreateResponse;
    const items = await compactItems(at(origin), { model, input, instructions });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/responses/compact" });
    expect(Object.keys(JSON.parse(seen[0]!.body)).every((field) => ["model", "input", "instructions"].includes(field))).toBe(
      true,
    );
    expect(items).toEqual((recording.json() as { output: unknown }).output);
    expect(items.some(({ type }) => type === "compaction")).toBe(true);
  },
);
