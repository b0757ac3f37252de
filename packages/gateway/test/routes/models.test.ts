import { expect, test } from "vitest";
import { createGateway } from "../../src/gateway.ts";
import { newKey } from "../../src/keys/new-key.ts";
import { memoryStore } from "../../src/store/memory.ts";

test("a model can be looked up by every name that a caller may use, listed or not", async () => {
  const store = memoryStore();
  const { secret, key } = newKey({ name: "some", models: ["fast", "any-*"] });
  await store.createKey(key);
  const gateway = await createGateway({
    store,
    models: { fast: "offline", hidden: "offline", "any-*": "offline:*" },
    telemetry: { logs: false },
  });
  const lookUp = async (id: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await gateway(new Request(`http://localhost/v1/models/${id}`, { headers }));
    const { id: told, error } = (await response.json()) as { id?: string; error?: { code: string } };
    return told ?? error?.code;
  };
  expect(await Promise.all(["fast", "any-other", "hidden", "none"].map(lookUp))).toEqual([
    "fast",
    "any-other",
    "model_not_found",
    "model_not_found",
  ]);
  await gateway.close();
});
