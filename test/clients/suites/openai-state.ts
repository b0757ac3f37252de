import OpenAI6 from "openai";
import { ResponsesWS as Socket6 } from "openai/resources/responses/ws";
import OpenAI7 from "openai7";
import { ResponsesWS as Socket7 } from "openai7/resources/responses/ws";
import { describe, expect } from "vitest";
import { can } from "../support/cell.ts";
import { says } from "../support/gateway.ts";
import { prompts } from "../support/prompts.ts";
import { across, all, serve } from "../support/serve.ts";

// What the gateway keeps for its clients, whatever keeps nothing behind it.
const server = await serve();

type Event = OpenAI6.Responses.ResponseStreamEvent;
type Final = Extract<Event, { type: "response.completed" }>;

// The two majors have types of their own, and the same methods: the older types speak for both.
const clients = [
  ["openai 6 · Responses", OpenAI6, Socket6, "/openai/v1"],
  ["openai 7 · Responses", OpenAI7 as unknown as typeof OpenAI6, Socket7 as unknown as typeof Socket6, "/openai/v1"],
  ["openai 7 · Open Responses", OpenAI7 as unknown as typeof OpenAI6, Socket7 as unknown as typeof Socket6, "/v1"],
] as const;

const textIn = (events: Event[]): string =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

describe.each(across(clients))("%s", (_, model, OpenAI, Socket, mount) => {
  const open = () => {
    const client = new OpenAI({ apiKey: "none", baseURL: server.url + mount, maxRetries: 0 });
    return Object.assign(server.watch(), { client, responses: client.responses });
  };

  can("state", "a response can be had again, with what it was asked, until it is deleted", async () => {
    const { responses } = open();
    const made = await responses.create({ model, input: prompts.sum, metadata: { run: "1" } });
    expect(await responses.retrieve(made.id)).toEqual(made);
    const { data } = await responses.inputItems.list(made.id);
    expect(data).toMatchObject([{ type: "message", role: "user", content: [{ text: prompts.sum }] }]);
    await responses.delete(made.id);
    await expect(responses.retrieve(made.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  can("state", "what is not to be stored is not", async () => {
    const { responses } = open();
    const { id } = await responses.create({ model, input: prompts.sum, store: false });
    await expect(responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const going = responses.create({ model, input: prompts.sum, previous_response_id: id });
    await expect(going).rejects.toMatchObject({ status: 400, code: "previous_response_not_found" });
  });

  can("state", "a streamed response can be gone on from at once", async () => {
    const { responses } = open();
    const { id } = await responses.stream({ model, input: "My name is Ada." }).finalResponse();
    const next = await responses.stream({ model, input: "What is my name?", previous_response_id: id }).finalResponse();
    expect(next.output_text).toContain("Ada");
  });

  can("state", "a conversation gains what is said in it", async () => {
    const { client, responses } = open();
    const items = [{ type: "message" as const, role: "user" as const, content: "My name is Ada." }];
    const { id: conversation } = await client.conversations.create({ items, metadata: { topic: "names" } });
    const { output_text } = await responses.create({ model, input: "What is my name?", conversation });
    expect(output_text).toContain("Ada");
    const listed = await all(client.conversations.items.list(conversation, { order: "asc", limit: 2 }));
    expect(listed.map((item) => "role" in item && item.role)).toEqual(["user", "user", "assistant"]);
    expect(await client.conversations.retrieve(conversation)).toMatchObject({ metadata: { topic: "names" } });
    await client.conversations.delete(conversation);
    await expect(client.conversations.retrieve(conversation)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  can("state", "a long history becomes a short one, to begin with", async () => {
    const { responses } = open();
    const { id } = await responses.create({ model, input: "My name is Ada." });
    const { output } = await responses.compact({ model, previous_response_id: id });
    expect(output.map(({ type }) => type)).toContain("compaction");
    const input = [...(output as OpenAI6.Responses.ResponseInputItem[]), { role: "user" as const, content: "Hello" }];
    expect((await responses.create({ model, input })).status).toBe("completed");
  });

  can("background", "a response is asked for again until it is done", async () => {
    const { responses } = open();
    let response = await responses.create({ model, input: prompts.say, background: true });
    expect(response).toMatchObject({ status: "queued", background: true });
    while (response.status === "queued" || response.status === "in_progress") response = await responses.retrieve(response.id);
    expect(response).toMatchObject({ status: "completed", output_text: prompts.saidWhole });
  });

  can("background", "a stream that broke off goes on where it was", async () => {
    const opened = open();
    const { responses } = opened;
    const before: Event[] = [];
    let id = "";
    const stream = await responses.create({ model, input: `[[slow:5]] ${prompts.say}`, background: true, stream: true });
    for await (const event of stream) {
      before.push(event);
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") break;
    }
    const starting_after = before.at(-1)!.sequence_number;
    const after = await all(await responses.retrieve(id, { stream: true, starting_after }));
    const whole = [...before, ...after];
    expect(whole.map(({ sequence_number }) => sequence_number)).toEqual(whole.map((__, index) => index));
    expect(textIn(whole)).toBe(prompts.saidWhole);
    // The helper does the same, and puts the response together.
    const { output_text } = await responses.stream({ response_id: id }).finalResponse();
    expect(output_text).toBe(prompts.saidWhole);
  });

  can("background", "a response that is cancelled stops its model", async () => {
    const { responses, stopped } = open();
    const { id } = await responses.create({ model, input: prompts.endless, background: true });
    for (let status = "queued"; status === "queued";) status = (await responses.retrieve(id)).status ?? "";
    expect(await responses.cancel(id)).toMatchObject({ id, status: "cancelled" });
    await stopped;
    expect(await responses.cancel(id)).toMatchObject({ id, status: "cancelled" });
  });

  can("socket", "turns follow each other on one connection, and nothing is stored", async () => {
    const { client } = open();
    const socket = new Socket(client);
    const turn = async (body: object): Promise<{ text: string; id: string }> => {
      socket.send({ type: "response.create", model, store: false, ...body });
      const events: Event[] = [];
      for await (const told of socket) {
        if (told.type === "error") throw told.error;
        if (told.type !== "message") continue;
        events.push(told.message as Event);
        if (told.message.type === "response.completed") break;
      }
      return { text: textIn(events), id: (events.at(-1) as Final).response.id };
    };
    const { id } = await turn({ input: "My name is Ada." });
    expect((await turn({ input: "What is my name?", previous_response_id: id })).text).toContain("Ada");
    socket.close();
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  can("models", "are listed, and tell of themselves", async () => {
    const { client } = open();
    expect((await all(client.models.list())).map(({ id }) => id)).toContain(model);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    await expect(client.models.retrieve("nobody")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  can("models", "tokens are counted", async () => {
    const { client } = open();
    const count = (input: string) => client.responses.inputTokens.count({ model, input });
    expect((await count(prompts.say)).input_tokens).toBeGreaterThan((await count("Hello")).input_tokens);
  });

  if (says(model, "embeddings"))
    can("models", "texts become vectors, the same in both encodings", async () => {
      const { client } = open();
      const input = ["one", "two"];
      // Where nothing is said the client asks for base64, and unpacks it.
      const packed = await client.embeddings.create({ model, input });
      const { data } = await client.embeddings.create({ model, input, encoding_format: "float" });
      expect(packed.data).toHaveLength(2);
      expect(data[0]!.embedding.length).toBeGreaterThan(8);
      expect(packed.data.map(({ embedding }) => Array.from(embedding))).toEqual(data.map(({ embedding }) => embedding));
    });
});
