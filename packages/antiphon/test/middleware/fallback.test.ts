import { describe, expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { errorCodes, type ErrorCode } from "../../src/core/error-codes.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { fromBatches, type Respond } from "../../src/core/respond.ts";
import { text } from "../../src/core/views.ts";
import { fallback } from "../../src/middleware/fallback.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { eventsOf, ofType, watched } from "./models.ts";

const failing = (code: ErrorCode): AntiphonError => new AntiphonError(code, `It is ${code}.`);

describe("a model that throws", () => {
  test("is followed by the next, and an event says so", async () => {
    const respond = fallback([scripted(["From the second"])])(scripted([failing("SERVER_OVERLOADED")]));
    const events = await eventsOf(respond({ input: "Hi" }));
    expect(ofType(events, "antiphon:fallback")).toMatchObject([
      { from: 0, to: 1, error: { code: "SERVER_OVERLOADED", message: "It is SERVER_OVERLOADED." } },
    ]);
    expect(text(await collect(fallback([scripted(["B"])])(scripted([failing("TIMEOUT")]))({ input: "Hi" })))).toBe("B");
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("passes the request on under the other model's name", async () => {
    const second = scripted(["Hi"]);
    await collect(fallback([{ respond: second, model: "b-1" }])(scripted([failing("TIMEOUT")]))({ model: "a-1", input: "Hi" }));
    expect(second.requests[0]).toMatchObject({ model: "b-1", input: "Hi" });
  });

  test("ends in the last error when none is left, with all of them as its cause", async () => {
    const respond = fallback([scripted([failing("RATE_LIMIT")]), scripted([failing("QUOTA_EXCEEDED")])])(
      scripted([failing("SERVER_ERROR")]),
    );
    const error = await collect(respond({ input: "Hi" })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "QUOTA_EXCEEDED",
      cause: { errors: [{ code: "SERVER_ERROR" }, { code: "RATE_LIMIT" }, { code: "QUOTA_EXCEEDED" }] },
    });
  });

  test("is not followed where the request is at fault", async () => {
    const faults: ErrorCode[] = ["BAD_REQUEST", "CONTENT_POLICY", "INVALID_SCHEMA", "ABORTED", "CONTEXT_LENGTH_EXCEEDED"];
    for (const code of faults) {
      const second = scripted(["no"]);
      await expect(collect(fallback([second])(scripted([failing(code)]))({ input: "Hi" }))).rejects.toMatchObject({ code });
      expect(second.requests).toEqual([]);
    }
  });

  test("is judged by the caller where the caller wants to", async () => {
    const when = (error: AntiphonError, usual: boolean): boolean => usual || error.code === "CONTEXT_LENGTH_EXCEEDED";
    const respond = fallback({ models: [scripted(["A larger window"])], when })(scripted([failing("CONTEXT_LENGTH_EXCEEDED")]));
    expect(text(await collect(respond({ input: "Hi" })))).toBe("A larger window");
  });

  test("counts as out of reach when it throws something else", async () => {
    const broken: Respond = () => fromBatches(() => ({ next: () => Promise.reject(new TypeError("fetch failed")) }));
    expect(text(await collect(fallback([scripted(["B"])])(broken)({ input: "Hi" })))).toBe("B");
  });

  test("is followed also where it throws before it gives a stream", async () => {
    const broken: Respond = () => {
      throw failing("UNSUPPORTED");
    };
    expect(text(await collect(fallback([scripted(["B"])])(broken)({ input: "Hi" })))).toBe("B");
    const both = collect(fallback([broken])(broken)({ input: "Hi" }));
    await expect(both).rejects.toMatchObject({ code: "UNSUPPORTED", cause: { errors: [{}, {}] } });
  });

  test("is always followed where trying again might help", async () => {
    const worthIt = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].retry);
    const followed = await Promise.all(
      worthIt.map(async (code) => text(await collect(fallback([scripted([code])])(scripted([failing(code)]))({ input: "Hi" })))),
    );
    expect(followed).toEqual(worthIt);
  });
});

describe("a model that fails in its stream", () => {
  test("is followed while nothing of an answer was seen", async () => {
    const first = watched(offline());
    const second = scripted(["Whole"]);
    // `fail` with nothing said: the failure comes right after the preliminary events.
    const events = await eventsOf(fallback([second])(first.respond)({ input: "[[fail:server_error]] [[say:]]" }));
    expect(ofType(events, "response.created")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "response.completed" });
    expect(first.closed).toBe(1);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("is never followed after output", async () => {
    const second = scripted(["no"]);
    const events = await eventsOf(fallback([second])(offline())({ input: "[[fail:server_error]] [[say:One two three four]]" }));
    expect(events.at(-1)).toMatchObject({ type: "response.failed" });
    expect(second.requests).toEqual([]);
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  });

  test("keeps its lawful end when it is the last", async () => {
    const events = await eventsOf(
      fallback([offline()])(scripted([failing("TIMEOUT")]))({ input: "[[fail:server_error]] [[say:]]" }),
    );
    expect(events.map(({ type }) => type)).toContain("antiphon:fallback");
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { error: { code: "server_error" } } });
  });
});

test("a model that answers is passed on batch by batch", async () => {
  const response = await collect(offline()({ input: "[[long:50]]" }));
  expect(text(await collect(fallback([scripted([])])(offline())({ input: "[[long:50]]" })))).toBe(text(response));
});

test("leaving the stream leaves the model", async () => {
  const model = watched(offline());
  for await (const event of fallback([scripted([])])(model.respond)({ input: "[[long:50]]" }))
    if (event.type === "response.output_text.delta") break;
  expect(model).toMatchObject({ opened: 1, closed: 1 });
});

test("a caller who stops is not sent to another model", async () => {
  const controller = new AbortController();
  const second = scripted(["no"]);
  controller.abort();
  const respond = fallback([second])(() => fromBatches(() => ({ next: () => Promise.reject(failing("SERVER_ERROR")) })));
  await expect(collect(respond({ input: "Hi" }, { signal: controller.signal }))).rejects.toMatchObject({ code: "SERVER_ERROR" });
  expect(second.requests).toEqual([]);
});
