import { expect } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import type { CallOptions, Respond } from "../../src/core/respond.ts";
import type { CreateResponse, ResponseEvent, ResponseResource } from "../../src/model/index.ts";
import { offline } from "../../src/testing/offline/index.ts";

export const weather = {
  type: "function" as const,
  name: "get_weather",
  description: "Tells the weather in a city.",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, unit: { enum: ["celsius", "fahrenheit"] } },
    required: ["city"],
    additionalProperties: false,
  },
};

export const now = (): number => 1_767_225_600;

/** Every event of an answer. */
export async function eventsOf(respond: Respond, request: CreateResponse, options?: CallOptions): Promise<ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of respond(request, options)) events.push(event);
  return events;
}

/** The answer to an input, by a fresh model unless one is given. */
export const ask = (
  input: CreateResponse["input"],
  more: CreateResponse = {},
  respond: Respond = offline(),
): Promise<ResponseResource> => collect(respond({ input, ...more }));

/** The error that a call fails with. */
export const errorOf = (run: Promise<unknown>): Promise<AntiphonError> =>
  run.then(
    () => expect.unreachable("It should have failed."),
    (error: unknown) => {
      if (error instanceof AntiphonError) return error;
      throw error;
    },
  );
