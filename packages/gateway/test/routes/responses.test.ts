import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type Served } from "../../src/node.ts";

let served: Served;
beforeAll(async () => {
  served = await startGateway({ port: 0 });
});
afterAll(() => served.close());

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(`${served.url}${path}`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

interface Told {
  id: string;
  status: string;
  output: { type: string; content: { text: string }[] }[];
}

const ask = async (body: object): Promise<Told> =>
  (await (await post("/v1/responses", { model: "offline", ...body })).json()) as Told;

describe("POST /v1/responses", () => {
  test("answers plainly, and keeps the answer", async () => {
    const told = await ask({ input: "Hello" });
    expect(told.status).toBe("completed");
    const again = await fetch(`${served.url}/v1/responses/${told.id}`);
    expect(await again.json()).toEqual(told);
  });

  test("streams events, each in one frame, and ends with [DONE]", async () => {
    const response = await post("/v1/responses", { model: "offline", input: "Hello", stream: true });
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const frames = (await response.text()).split("\n\n").filter(Boolean);
    expect(frames.at(-1)).toBe("data: [DONE]");
    const events = frames.slice(0, -1).map((frame) => {
      const [name, data] = frame.split("\n") as [string, string];
      const event = JSON.parse(data.slice("data: ".length)) as { type: string; sequence_number: number };
      expect(name).toBe(`event: ${event.type}`);
      return event;
    });
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.at(-1)?.type).toBe("response.completed");
  });

  test("goes on from a previous response", async () => {
    const first = await ask({ input: "My name is Ada." });
    const second = await ask({ input: "Say it again", previous_response_id: first.id });
    expect(second.status).toBe("completed");
    const items = (await (await fetch(`${served.url}/v1/responses/${second.id}/input_items?order=asc`)).json()) as {
      data: { type: string }[];
    };
    expect(items.data).toHaveLength(3);
  });

  test("says where a chain is broken off, and not that its end is missing", async () => {
    const first = await ask({ input: "My name is Ada." });
    const second = await ask({ input: "Say it again", previous_response_id: first.id });
    await fetch(`${served.url}/v1/responses/${first.id}`, { method: "DELETE" });
    const response = await post("/v1/responses", { model: "offline", input: "And again", previous_response_id: second.id });
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "previous_response_not_found",
          message: `Previous response with id '${second.id}' continues a response that was deleted.`,
        },
      },
    });
  });

  test("leaves nothing of what is not to be stored", async () => {
    const told = await ask({ input: "Hello", store: false });
    expect((await fetch(`${served.url}/v1/responses/${told.id}`)).status).toBe(404);
  });
});
