import { describe, expect, test } from "vitest";
import type { ResponseEvent } from "../../src/model/index.ts";
import { recordings } from "../support/recordings.ts";
import { sseValues } from "../support/sse-values.ts";
import { passAndBreak } from "./support/job-server.ts";
import { expectLawful, gist, jobsAt, told } from "./support/jobs.ts";
import { serve } from "./support/servers.ts";

describe("recorded background jobs", () => {
  const named = (name: string) => recordings("openai-responses").find((recording) => recording.id.endsWith(name))!;

  test.each(["openai-dotnet--canstreambackgroundresponses", "pydantic-ai--background-mode-streaming-starting-after-vcr"])(
    "resume where the reader left: %s",
    async (name) => {
      const all = sseValues(named(`${name}--01`).body()) as ResponseEvent[];
      const resumed = recordings("openai-responses").find(
        ({ id: path, meta }) => path.includes(name) && meta().url?.includes("starting_after"),
      )!;
      const after = Number(/starting_after=(\d+)/.exec(resumed.meta().url!)![1]);
      const { origin } = await serve((response, { method }) =>
        passAndBreak(response, method === "POST" ? all.slice(0, after + 1) : (sseValues(resumed.body()) as object[])),
      );
      const { events: seen, notes } = await told(jobsAt(origin).stream({ input: "Hello" }));
      expectLawful(seen);
      expect(notes).toHaveLength(1);
      expect(gist(seen)).toEqual(gist(all));
    },
  );
});
