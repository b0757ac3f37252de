import { expect, test } from "vitest";
import { collect } from "../../src/core/collect.ts";
import { AntiphonError } from "../../src/core/error.ts";
import { finishReason, refusal, text } from "../../src/core/views.ts";
import { guardrail } from "../../src/middleware/guardrail.ts";
import { foldLaw, lifecycleLaw } from "../../src/testing/laws.ts";
import { offline } from "../../src/testing/offline/index.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { eventsOf, ofType, watched } from "./models.ts";

test("a request that is refused is never sent, and the refusal is a model's", async () => {
  const model = scripted(["no"]);
  const respond = guardrail({ input: ({ input }) => (String(input).includes("bomb") ? "I can't help with that." : undefined) })(
    model,
  );
  const events = await eventsOf(respond({ input: "a bomb" }));
  expect(model.requests).toEqual([]);
  expect(ofType(events, "antiphon:guarded")).toMatchObject([{ side: "input", reason: "I can't help with that." }]);
  expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  const response = await collect(respond({ input: "a bomb" }));
  expect([finishReason(response), refusal(response)]).toEqual(["refusal", "I can't help with that."]);
  expect(text(await collect(respond({ input: "a cake" })))).toBe("no");
});

test("an answer that is refused is never seen, whatever its end, and keeps what it cost", async () => {
  const respond = guardrail({ output: (response) => (/1234/.test(text(response)) ? "Hidden." : undefined) })(offline());
  for (const order of ["", "[[stop]] [[say:1234 1234 1234 1234]]", "[[fail:server_error]] [[say:1234 1234 1234 1234]]"]) {
    const events = await eventsOf(respond({ input: `[[say:The number is 1234]] ${order}` }));
    expect(JSON.stringify(events.filter(({ type }) => type !== "antiphon:guarded"))).not.toContain("1234");
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: { usage: { input_tokens: expect.any(Number) } },
    });
    expect(lifecycleLaw(events) ?? foldLaw(events)).toBeUndefined();
  }
});

test("an answer that passes is the model's, event for event", async () => {
  const plain = await eventsOf(offline({ now: () => 1 })({ input: "Hi" }));
  expect(await eventsOf(guardrail({ output: () => {} })(offline({ now: () => 1 }))({ input: "Hi" }))).toEqual(plain);
});

test("what a check throws, the call throws", async () => {
  const check = (): never => {
    throw new AntiphonError("CONTENT_POLICY", "Not here.");
  };
  const model = watched(offline());
  await expect(collect(guardrail({ input: check })(model.respond)({ input: "Hi" }))).rejects.toMatchObject({
    code: "CONTENT_POLICY",
  });
  await expect(collect(guardrail({ output: check })(model.respond)({ input: "Hi" }))).rejects.toMatchObject({
    code: "CONTENT_POLICY",
  });
  expect(model.opened).toBe(1);
});

test("a check of a request is not waited for when the caller stops", async () => {
  const controller = new AbortController();
  const model = watched(offline());
  const never = (): Promise<string> => new Promise(() => {});
  const answer = collect(guardrail({ input: never })(model.respond)({ input: "Hi" }, { signal: controller.signal }));
  controller.abort();
  await expect(answer).rejects.toMatchObject({ code: "ABORTED" });
  expect(model.opened).toBe(0);
});

test("leaving while an answer is checked leaves the model", async () => {
  const model = watched(offline({ delay: 5 }));
  const batches = guardrail({ output: () => {} })(model.respond)({ input: "[[long:500]]" }).batches!();
  const pending = batches.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await batches.return!();
  await pending;
  expect(model).toMatchObject({ opened: 1, closed: 1 });
});
