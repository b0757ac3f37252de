import { offline } from "antiphon/testing";
import { describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../src/gateway.ts";
import { newKey } from "../../src/keys/new-key.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Store } from "../../src/store/store.ts";
import { catalogueOf } from "../support/upstreams.ts";

/** A gateway with a key for one request a minute, over a store that says which histories were asked for. */
async function limited(): Promise<{ post(path: string, body: object): Promise<number>; loaded: string[]; gateway: Gateway }> {
  const { secret, key } = newKey({ name: "once", requestsPerMinute: 1 });
  const kept = memoryStore();
  await kept.createKey(key);
  const loaded: string[] = [];
  const getChain: Store["getChain"] = (id, ...rest) => (loaded.push(id), kept.getChain(id, ...rest));
  const listItems: Store["listItems"] = (id, ...rest) => (loaded.push(id), kept.listItems(id, ...rest));
  const store: Store = { ...kept, getChain, listItems };
  const gateway = await createGateway({ store, catalogue: catalogueOf({ offline: offline() }), telemetry: { logs: false } });
  const headers = { authorization: `Bearer ${secret}` };
  const post = async (path: string, body: object): Promise<number> =>
    (await gateway(new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) }))).status;
  return { post, loaded, gateway };
}

describe("a key that is at its limit", () => {
  test.each([
    ["/v1/responses", { previous_response_id: "resp_long" }],
    ["/v1/responses", { conversation: "conv_long" }],
    ["/v1/responses/compact", { previous_response_id: "resp_long" }],
  ])("is refused by %s before its history is looked for: %j", async (path, history) => {
    const { post, loaded, gateway } = await limited();
    expect(await post("/v1/responses", { model: "offline", input: "Hi" })).toBe(200);
    expect(await post(path, { model: "offline", input: "And?", ...history })).toBe(429);
    expect(loaded).toEqual([]);
    await gateway.close();
  });
});
