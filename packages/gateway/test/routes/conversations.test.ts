import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGateway, type Served } from "../../src/node.ts";
import { ask, send, type Told } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";
import { offline } from "antiphon/testing";

let served: Served;
beforeAll(async () => {
  served = await startGateway({ port: 0, catalogue: catalogueOf({ offline: offline() }) });
});
afterAll(() => served.close());

const at = (path: string): string => `${served.url}/v1${path}`;
const get = async (path: string): Promise<Told & { data: Told[] }> =>
  (await (await fetch(at(path))).json()) as Told & { data: Told[] };
const remove = (path: string): Promise<Response> => fetch(at(path), { method: "DELETE" });
const user = (content: string): object => ({ type: "message", role: "user", content });

describe("a conversation", () => {
  test("is made with items, shown, changed and deleted", async () => {
    const { id } = await ask(at("/conversations"), { items: [user("My name is Ada.")], metadata: { topic: "names" } });
    expect(await get(`/conversations/${id}`)).toMatchObject({ object: "conversation", metadata: { topic: "names" } });
    expect(await ask(at(`/conversations/${id}`), { metadata: { topic: "numbers" } })).toMatchObject({
      metadata: { topic: "numbers" },
    });
    expect(await (await remove(`/conversations/${id}`)).json()).toEqual({ id, object: "conversation.deleted", deleted: true });
    expect((await fetch(at(`/conversations/${id}`))).status).toBe(404);
  });

  test("gains what is asked in it and what is answered", async () => {
    const { id } = await ask(at("/conversations"), { items: [user("My name is Ada.")] });
    const told = await ask(at("/responses"), { model: "offline", conversation: id, input: "What is my name?" });
    expect(JSON.stringify(told.output)).toContain("Ada");
    expect(told["conversation"]).toEqual({ id });
    const { data } = await get(`/conversations/${id}/items?order=asc`);
    expect(data.map(({ type, role }) => `${type} ${String(role)}`)).toEqual([
      "message user",
      "message user",
      "message assistant",
    ]);
    expect(data[0]!["content"]).toEqual([{ type: "input_text", text: "My name is Ada." }]);
  });

  test("is paged through in both directions", async () => {
    const { id } = await ask(at("/conversations"), { items: ["a", "b", "c", "d", "e"].map(user) });
    const seen: unknown[] = [];
    let after = "";
    for (let more = true; more;) {
      const page = await get(`/conversations/${id}/items?limit=2&order=desc${after}`);
      seen.push(...page.data.map(({ content }) => (content as { text: string }[])[0]!.text));
      more = page["has_more"] === true;
      after = `&after=${String(page["last_id"])}`;
    }
    expect(seen).toEqual(["e", "d", "c", "b", "a"]);
  });

  test("shows, adds and deletes single items", async () => {
    const { id } = await ask(at("/conversations"), {});
    const added = (await ask(at(`/conversations/${id}/items`), { items: [user("One"), user("Two")] })) as Told & { data: Told[] };
    const [one] = added.data;
    expect(await get(`/conversations/${id}/items/${one!.id}`)).toEqual(one);
    expect(await (await remove(`/conversations/${id}/items/${one!.id}`)).json()).toMatchObject({ id, object: "conversation" });
    expect((await fetch(at(`/conversations/${id}/items/${one!.id}`))).status).toBe(404);
    expect((await get(`/conversations/${id}/items`)).data).toHaveLength(1);
  });

  test.each([
    ["metadata that is no object", { metadata: 3 }],
    ["metadata with a number", { metadata: { a: 1 } }],
    ["too much metadata", { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`${at}`, ""])) }],
    ["items that are no list", { items: "Hello" }],
  ])("with %s is refused", async (_, body) => {
    expect((await send(at("/conversations"), body)).status).toBe(400);
  });

  test.each([["limit=0"], ["limit=101"], ["limit=x"], ["order=up"]])("is not listed with %s", async (query) => {
    const { id } = await ask(at("/conversations"), {});
    expect((await fetch(at(`/conversations/${id}/items?${query}`))).status).toBe(400);
  });
});
