import {
  background,
  collect,
  connect,
  isWire,
  newId,
  provider,
  text,
  type Respond,
  type ResponseEvent,
  type ResponseResource,
} from "antiphon";
import { foldLaw, lifecycleLaw, offline } from "antiphon/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelRoute, Models } from "../../src/models/models.ts";
import { startGateway, type Served } from "../../src/node.ts";

let upstream: Served;
let served: Served;
let passed = 0;

/** Counts what was passed on unread. */
const counting = (respond: Respond): Respond =>
  async function* (request, call) {
    for await (const event of respond(request, call)) {
      if (isWire(event)) passed += 1;
      yield event;
    }
  };

beforeAll(async () => {
  upstream = await startGateway({ port: 0, telemetry: { logs: false } });
  const at = provider("openai", { baseUrl: `${upstream.url}/openai/v1`, apiKey: "none", model: "offline" });
  const plain = connect(at);
  const route: ModelRoute = {
    name: "offline",
    model: "offline",
    provider: "openai",
    respond: plain,
    relay: { wire: "responses", respond: counting(connect(at, { relay: true })) },
    cost: () => undefined,
  };
  const direct: ModelRoute = { ...route, name: "direct", respond: offline({ newId }) };
  const catalogue: Models = {
    resolve: (name) => (name === "direct" ? direct : route),
    resolveEmbeddings: () => {
      throw new Error("There are none.");
    },
    list: async () => [],
  };
  served = await startGateway({ port: 0, catalogue, telemetry: { logs: false } });
});
afterAll(async () => {
  await served.close();
  await upstream.close();
});

const post = (path: string, body: object = {}): Promise<Response> =>
  fetch(served.url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const framesOf = async (response: Response): Promise<string[]> => (await response.text()).split("\n\n").filter(Boolean);
const idIn = (frame = ""): string => (JSON.parse(frame.slice(frame.indexOf("{"))) as { response: { id: string } }).response.id;

describe.each(["/v1", "/openai/v1"])("a stream of %s", (prefix) => {
  const resumed = (id: string, after?: number): Promise<Response> =>
    fetch(`${served.url}${prefix}/responses/${id}?stream=true${after === undefined ? "" : `&starting_after=${after}`}`);

  test.each(["relayed", "background"])("can be taken up after any event: %s", async (kind) => {
    passed = 0;
    const asked = { model: "offline", input: "Tell me a tale. [[long:25]]", stream: true, background: kind === "background" };
    const frames = await framesOf(await post(`${prefix}/responses`, asked));
    const id = idIn(frames[0]);
    expect(passed > 0).toBe(kind === "relayed");
    expect(frames.at(-1)).toBe("data: [DONE]");
    expect(await framesOf(await resumed(id))).toEqual(frames);
    for (let after = 0; after < frames.length; after += 1)
      expect(await framesOf(await resumed(id, after))).toEqual(frames.slice(Math.min(after + 1, frames.length - 1)));
  });

  test("can be joined by others while it is told", async () => {
    const asked = { model: "offline", input: "Slowly. [[slow:5]] [[long:30]]", stream: true };
    const response = await post(`${prefix}/responses`, asked);
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    const others = [0, 1, 2].map(() => resumed(idIn(new TextDecoder().decode(value).split("\n\n")[0])).then(framesOf));
    let told = new TextDecoder().decode(value);
    for (let next = await reader.read(); !next.done; next = await reader.read()) told += new TextDecoder().decode(next.value);
    for (const other of await Promise.all(others)) expect(other.join("\n\n")).toBe(told.trimEnd());
  });

  test("goes on without its first client where it is a background one", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${served.url}${prefix}/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "direct", input: "[[slow:5]] [[long:40]]", stream: true, background: true }),
      signal: leaving.signal,
    });
    const { value } = await response.body!.getReader().read();
    const id = idIn(new TextDecoder().decode(value).split("\n\n")[0]);
    leaving.abort();
    const frames = await framesOf(await resumed(id));
    expect(frames.at(-2)).toContain("response.completed");
  });

  test("is cancelled from outside", async () => {
    const queued = (await (
      await post(`${prefix}/responses`, { model: "direct", input: "[[slow:20]] [[long:500]]", background: true })
    ).json()) as { id: string; status: string };
    expect(queued.status).toBe("queued");
    const following = resumed(queued.id).then(framesOf);
    const cancelled = await post(`${prefix}/responses/${queued.id}/cancel`);
    expect([cancelled.status, ((await cancelled.json()) as { status: string }).status]).toEqual([200, "cancelled"]);
    expect((await following).at(-2)).toContain('"status":"cancelled"');
    expect((await post(`${prefix}/responses/${queued.id}/cancel`)).status).toBe(200);
    expect((await post(`${prefix}/responses/resp_none/cancel`)).status).toBe(404);
    const plain = (await (await post(`${prefix}/responses`, { model: "direct", input: "Hi" })).json()) as { id: string };
    expect((await post(`${prefix}/responses/${plain.id}/cancel`)).status).toBe(400);
  });
});

describe("a stream whose events are kept elsewhere, or no more", () => {
  const eventsOf = async (response: Response): Promise<ResponseEvent[]> =>
    (await framesOf(response)).slice(0, -1).map((frame) => JSON.parse(frame.slice(frame.indexOf("{"))) as ResponseEvent);
  let folder: string;
  let gateways: Served[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "antiphon-resume-"));
    const start = (): Promise<Served> =>
      startGateway({ port: 0, store: join(folder, "store.db"), models: { direct: "offline" }, telemetry: { logs: false } });
    gateways = [await start(), await start()];
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.close();
    await rm(folder, { recursive: true });
  });

  test("is told to its end by another gateway: the last event to who saw some, all to who saw none", async () => {
    const [here, there] = gateways.map(({ url }) => `${url}/v1/responses`);
    const body = JSON.stringify({ model: "direct", input: "Slowly. [[slow:10]] [[long:30]]", stream: true });
    const headers = { "content-type": "application/json" };
    const reader = (await fetch(here!, { method: "POST", headers, body })).body!.getReader();
    const { value } = await reader.read();
    const id = idIn(new TextDecoder().decode(value).split("\n\n")[0]);
    const rest = fetch(`${there}/${id}?stream=true&starting_after=3`).then(eventsOf);
    const all = fetch(`${there}/${id}?stream=true`).then(eventsOf);
    while (!(await reader.read()).done);
    const response = (await (await fetch(`${there}/${id}`)).json()) as ResponseResource;
    expect(response.status).toBe("completed");
    expect(await rest).toEqual([{ type: "response.completed", sequence_number: 4, response }]);
    expect(foldLaw(await all) ?? lifecycleLaw(await all)).toBeUndefined();
    expect((await all).at(-1)).toMatchObject({ type: "response.completed", response });
  });

  test("is not there for others where there is none", async () => {
    const url = `${gateways[0]!.url}/v1/responses/resp_none?stream=true&starting_after=3`;
    expect((await fetch(url)).status).toBe(404);
  });
});

describe("the library's own jobs", () => {
  const jobs = () =>
    background(provider("openai", { baseUrl: `${served.url}/openai/v1`, apiKey: "none", model: "direct" }), {
      poll: { minDelay: 10, maxDelay: 10 },
    });

  test("are started, waited for, followed from a snapshot, and cancelled", async () => {
    const { id, status } = await jobs().start({ input: "[[say:Done]]" });
    expect(status).toBe("queued");
    expect(text(await jobs().wait(id))).toBe("Done");
    expect(text(await collect(jobs().follow(id)))).toBe("Done");

    const stream = jobs().stream({ input: "[[slow:3]] [[long:30]]" });
    let events = 0;
    for await (const _ of stream) if ((events += 1) === 10) break;
    const rest = jobs().follow(stream.snapshot()!);
    expect((await collect(rest)).status).toBe("completed");

    const long = await jobs().start({ input: "[[slow:20]] [[long:1000]]" });
    expect((await jobs().cancel(long.id)).status).toBe("cancelled");
    expect((await jobs().wait(long.id)).status).toBe("cancelled");
  });
});
