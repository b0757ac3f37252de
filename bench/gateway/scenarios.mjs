/** What is asked of the gateways. */

/** By what the client speaks: where it asks, and what it says. */
const clients = {
  responses: { path: "responses", wire: "responses", body: (model) => ({ model, input: "Tell me about the garden." }) },
  chat: {
    path: "chat/completions",
    wire: "completions",
    body: (model) => ({ model, messages: [{ role: "user", content: "Tell me about the garden." }] }),
  },
  messages: {
    path: "messages",
    wire: "messages",
    body: (model) => ({ model, max_tokens: 1024, messages: [{ role: "user", content: "Tell me about the garden." }] }),
  },
};

const scenario = (id, name, client, upstream, way, fields = {}) => ({
  id,
  name,
  client,
  upstream,
  way,
  streamed: true,
  limit: 2,
  ...fields,
});

/** `limit` is how often the CPU of a bare pass-through a request may take. */
export const scenarios = [
  scenario("plain", "plain, Responses", "responses", "responses", "16k", { streamed: false }),
  scenario("plain-chat", "plain, Chat", "chat", "chat", "16k", { streamed: false }),
  scenario("stream", "stream, Responses", "responses", "responses", "16k"),
  scenario("paced", "stream, Responses, an event at a time", "responses", "responses", "paced", { paced: true }),
  scenario("chat", "stream, Chat", "chat", "chat", "16k"),
  scenario("messages", "stream, Messages", "messages", "messages", "16k"),
  scenario("to-chat", "stream, Responses → Chat", "responses", "chat", "16k", { limit: 4 }),
  scenario("to-messages", "stream, Responses → Messages", "responses", "messages", "16k", { limit: 4 }),
  scenario("chat-to-messages", "stream, Chat → Messages", "chat", "messages", "16k", { limit: 4 }),
];

/** What Portkey cannot do: it passes Responses on, and translates Chat alone. */
const translatesResponses = ({ client, upstream }) => client === "responses" && upstream !== "responses";

const portkeyProviders = { responses: "openai", chat: "openai", messages: "anthropic" };

/** Each row says what it serves, and how a request to it begins. */
export const rows = {
  direct: {
    name: "direct",
    // Its client speaks to the upstream itself, and so in the upstream's words.
    client: ({ upstream }) => upstream,
    prefix: ({ way }) => `/${way}/v1`,
  },
  bare: {
    name: "bare `node:http`",
    server: "pass-through.mjs",
    client: ({ upstream }) => upstream,
    prefix: ({ way }) => `/${way}/v1`,
  },
  portkey: {
    name: "Portkey 1.15.2",
    server: "portkey.mjs",
    // It takes many times as long, and is warm after as little.
    share: 0.25,
    lacks: (scenario) => translatesResponses(scenario) || scenario.client === "messages",
    client: ({ client }) => client,
    prefix: () => "/v1",
    headers: ({ upstream, way }, origin) =>
      `x-portkey-provider: ${portkeyProviders[upstream]}\r\nx-portkey-custom-host: ${origin}/${way}/v1\r\n`,
  },
  antiphon: {
    name: "**Antiphon**",
    server: "antiphon.mjs",
    client: ({ client }) => client,
    prefix: () => "/v1",
    model: ({ upstream, way }) => `${upstream}-${way}`,
  },
};

/** What the load generator needs to know about a scenario at a row. */
export function workOf(row, scenario, port, origin) {
  const client = clients[row.client(scenario)];
  const body = { ...client.body(row.model?.(scenario) ?? "bench-model"), stream: scenario.streamed };
  const head =
    `POST ${row.prefix(scenario)}/${client.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer k\r\n` +
    `x-api-key: k\r\ncontent-type: application/json\r\naccept: */*\r\n${row.headers?.(scenario, origin) ?? ""}`;
  return { port, head, body: JSON.stringify(body), wire: client.wire, streamed: scenario.streamed };
}
