import { offline } from "antiphon/testing";
import { describe, expect, test } from "vitest";
import { Puppet } from "../../runs/support/puppet.ts";
import { SocketClient, type Told } from "../../support/client.ts";
import { catalogueOf } from "../../support/upstreams.ts";
import { ask, keyOf, serve, storeInFolder, type Answer } from "./support/gateways.ts";

type Headers = Record<string, string>;
const faces = ["/v1", "/openai/v1"] as const;

/** What Ada owns. */
interface Belongings {
  response: string;
  streamed: string;
  background: string;
  running: string;
  conversation: string;
  item: string;
  model: string;
}

/** Two owners on one gateway; Ada owns one thing of each kind. */
async function twoOwners() {
  const { store } = await storeInFolder();
  const ada = (await keyOf(store, { owner: "ada" })).bearer;
  const bob = (await keyOf(store, { owner: "bob", models: ["offline"] })).bearer;
  const puppet = new Puppet();
  const served = await serve({ store, catalogue: catalogueOf({ offline: offline(), puppet: puppet.respond }) });
  const { url } = served;
  const made = async (route: string, body: object): Promise<Told> => JSON.parse((await ask(url, route, ada, body)).text) as Told;
  const conversation = await made("POST /v1/conversations", { items: [{ role: "user", content: "Mine" }] });
  const items = JSON.parse((await ask(url, `GET /v1/conversations/${conversation.id}/items`, ada)).text) as { data: Told[] };
  const running = fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: ada,
    body: JSON.stringify({ model: "puppet", input: "Hi", stream: true }),
  });
  (await puppet.next()).start().say("Wait");
  const begun = new TextDecoder().decode((await (await running).body!.getReader().read()).value);
  const streamed = (await ask(url, "POST /v1/responses", ada, { model: "offline", input: "Hi", stream: true })).text;
  const belongings: Belongings = {
    response: (await made("POST /v1/responses", { model: "offline", input: "Hi" })).id,
    streamed: idIn(streamed),
    background: (await made("POST /v1/responses", { model: "offline", input: "Hi", background: true })).id,
    running: idIn(begun),
    conversation: conversation.id,
    item: items.data[0]!.id,
    model: "puppet",
  };
  return { served, url, ada, bob, belongings };
}

const idIn = (text: string): string => /resp_\w+/.exec(text)![0];

/** An id like another that nobody has. */
const missing = (id: string): string => id.replace(/\w{6}$/, (end) => (end === "zzzzzz" ? "yyyyyy" : "zzzzzz"));

/** What somebody else may try on a route, as bodies and queries; `things` says which of Ada's things stand for the parameters. */
interface Attempt {
  things: Partial<Record<string, readonly (keyof Belongings)[]>>;
  queries?: readonly string[];
  body?: object;
}

const ofResponse = { id: ["response", "streamed", "background", "running"] } as const;
const ofConversation = { id: ["conversation"] } as const;
const ofItem = { id: ["conversation"], item: ["item"] } as const;
const lists = ["", "?limit=1", "?order=asc", "?after=msg_1"];

/** Every route with an id. A route that is not here fails the test below. */
const attempts: Readonly<Record<string, Attempt>> = {
  "GET /responses/:id": { things: ofResponse, queries: ["", "?stream=true", "?stream=true&starting_after=1", "?include=x"] },
  "DELETE /responses/:id": { things: ofResponse },
  "POST /responses/:id/cancel": { things: ofResponse },
  "GET /responses/:id/input_items": { things: ofResponse, queries: lists },
  "GET /models/:id": { things: { id: ["model"] } },
  "GET /conversations/:id": { things: ofConversation },
  "POST /conversations/:id": { things: ofConversation, body: { metadata: { a: "b" } } },
  "DELETE /conversations/:id": { things: ofConversation },
  "POST /conversations/:id/items": { things: ofConversation, body: { items: [{ role: "user", content: "Theirs" }] } },
  "GET /conversations/:id/items": { things: ofConversation, queries: lists },
  "GET /conversations/:id/items/:item": { things: ofItem },
  "DELETE /conversations/:id/items/:item": { things: ofItem },
};

/** An answer without what differs from one to the next in any case, and with ids in words. */
function bare({ status, headers, text }: Answer, ids: readonly string[]): Answer {
  const { "x-request-id": _, date: __, ...rest } = headers;
  return { status, headers: rest, text: ids.reduce((said, id, index) => said.replaceAll(id, `<${index}>`), text) };
}

const openParts = (route: string): string[] => [...route.matchAll(/:(\w+)/g)].map(([, name]) => name!);

/** Every way to fill in the parameters of a route with things of Ada's. */
function fillings(route: string, { things }: Attempt): (keyof Belongings)[][] {
  return openParts(route).reduce<(keyof Belongings)[][]>(
    (all, part) => all.flatMap((before) => (things[part] ?? []).map((thing) => [...before, thing])),
    [[]],
  );
}

const fill = (route: string, ids: readonly string[]): string => {
  let index = 0;
  return route.replace(/:\w+/g, () => ids[index++]!);
};

/** What one is told of Ada's things, and of such that are not there. */
async function bothAnswers(
  url: string,
  headers: Headers,
  route: string,
  owned: readonly string[],
  { queries = [""], body }: Attempt,
) {
  const nobodys = owned.map(missing);
  const answers = async (ids: readonly string[]): Promise<Answer[]> => {
    const all: Answer[] = [];
    for (const query of queries) all.push(bare(await ask(url, fill(route, ids) + query, headers, body), ids));
    return all;
  };
  return { hers: await answers(owned), nobodys: await answers(nobodys) };
}

describe("the things of another owner", () => {
  test("answer on every route as such that are not there, and stay as they are", async () => {
    const { served, url, ada, bob, belongings } = await twoOwners();
    const routes = Object.keys(served.gateway.routes).filter((route) => route.includes(":"));
    expect(new Set(routes)).toEqual(
      new Set(Object.keys(attempts).flatMap((route) => faces.map((face) => route.replace(" ", ` ${face}`)))),
    );
    for (const route of routes) {
      const attempt = attempts[route.replace(/ (?:\/openai)?\/v1/, " ")]!;
      for (const things of fillings(route, attempt)) {
        const owned = things.map((thing) => belongings[thing]);
        const { hers, nobodys } = await bothAnswers(url, bob, route, owned, attempt);
        expect({ route, things, answers: hers }).toEqual({ route, things, answers: nobodys });
        expect(hers.map(({ status }) => status)).toEqual(hers.map(() => 404));
      }
    }
    for (const [thing, id] of Object.entries(belongings).filter(([thing]) => thing !== "item" && thing !== "model")) {
      const kind = thing === "conversation" ? "conversations" : "responses";
      const { status, text } = await ask(url, `GET /v1/${kind}/${id}`, ada);
      expect({ thing, status }).toEqual({ thing, status: 200 });
      expect(text).not.toContain('"cancelled"');
    }
    const { text } = await ask(url, `GET /v1/conversations/${belongings.conversation}/items`, ada);
    expect((JSON.parse(text) as { data: Told[] }).data.map(({ id }) => id)).toEqual([belongings.item]);
  });

  const references: readonly [string, (belongings: Belongings) => string, (id: string) => object][] = [
    ["a previous response", ({ response }) => response, (id) => ({ previous_response_id: id })],
    ["a previous response that was streamed", ({ streamed }) => streamed, (id) => ({ previous_response_id: id })],
    ["a previous response that runs", ({ running }) => running, (id) => ({ previous_response_id: id })],
    ["a conversation", ({ conversation }) => conversation, (id) => ({ conversation: id })],
    ["a conversation by an object", ({ conversation }) => conversation, (id) => ({ conversation: { id } })],
    ["an item", ({ item }) => item, (id) => ({ input: [{ type: "item_reference", id }] })],
    ["an item without a type", ({ item }) => item, (id) => ({ input: [{ id }] })],
  ];
  const askers = faces.flatMap((face) => ["", "/compact", "/input_tokens"].map((route) => `POST ${face}/responses${route}`));

  test("cannot be named in a request, by any route or socket, in any other way than such that are not there", async () => {
    const { url, bob, belongings } = await twoOwners();
    for (const [what, idOf, body] of references) {
      const hers = idOf(belongings);
      for (const route of askers)
        for (const stream of route.endsWith("responses") ? [false, true] : [false]) {
          const told = async (id: string): Promise<Answer> =>
            bare(await ask(url, route, bob, { model: "offline", input: "Hi", ...(stream && { stream }), ...body(id) }), [id]);
          const answer = await told(hers);
          expect({ what, route, answer }).toEqual({ what, route, answer: await told(missing(hers)) });
          expect({ what, route, refused: answer.status === 400 || answer.status === 404 }).toEqual({
            what,
            route,
            refused: true,
          });
        }
      for (const face of faces) {
        const socket = await new SocketClient(`${url}${face}/responses`, bob).open();
        const told = async (id: string): Promise<string> =>
          JSON.stringify(await socket.turn({ model: "offline", input: "Hi", ...body(id) })).replaceAll(id, "<id>");
        const answer = await told(hers);
        expect({ what, face, answer }).toEqual({ what, face, answer: await told(missing(hers)) });
        expect(answer).toContain('"type":"error"');
        socket.close();
      }
    }
  });
});
