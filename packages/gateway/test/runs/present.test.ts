import { blankResponse, type ResponseEvent, type ResponseResource } from "antiphon";
import { expect, test } from "vitest";
import { present, presentBatch, type Presented } from "../../src/runs/present.ts";

const request = { model: "alias", input: "Hi", metadata: { a: "1" } };
const shown = { id: "resp_ours", created_at: 5, request, model: "alias", store: true };
const presentedAs = (status: ResponseResource["status"]): Presented => ({
  ...shown,
  begun: { ...present(blankResponse(shown.id, 5, request), shown), status },
});

/** As a model tells it, under its own id and with what it filled in. */
const told: ResponseResource = { ...blankResponse("resp_theirs", 9, {}), model: "theirs", service_tier: "priority" };
const lifecycle = (name: "created" | "in_progress" | "completed", sequence_number: number): ResponseEvent => ({
  type: `response.${name}`,
  sequence_number,
  response: told,
});

test("a response that begins is told as it is kept; what the model filled in is told at the end", () => {
  const presented = presentedAs("in_progress");
  const [created, begun, ended] = presentBatch(
    [lifecycle("created", 0), lifecycle("in_progress", 1), lifecycle("completed", 2)],
    presented,
  );
  expect(created).toEqual({ type: "response.created", sequence_number: 0, response: presented.begun });
  expect(begun).toEqual({ type: "response.in_progress", sequence_number: 1, response: presented.begun });
  expect(ended).toMatchObject({ response: { id: "resp_ours", model: "alias", metadata: { a: "1" }, service_tier: "priority" } });
});

test("one that is kept as waiting is not told as such by a model that has begun", () => {
  const [created] = presentBatch([lifecycle("created", 0)], presentedAs("queued"));
  expect(created).toMatchObject({ response: { id: "resp_ours", status: "in_progress", service_tier: "priority" } });
});

test("a batch without a response is passed on as it is", () => {
  const batch: ResponseEvent[] = [{ type: "keepalive", sequence_number: 3 }];
  expect(presentBatch(batch, presentedAs("in_progress"))).toBe(batch);
});
