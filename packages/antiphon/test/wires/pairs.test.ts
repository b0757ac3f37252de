import { describe, expect, test } from "vitest";
import { functionCalls, text, thinking } from "../../src/core/views.ts";
import { functionCallOutput, functionTool, user, type CreateResponse, type InputItem, type Item } from "../../src/model/index.ts";
import { seal } from "../../src/codecs/shared/envelope.ts";
import { scripted } from "../../src/testing/scripted.ts";
import { answerOf, asking, over, wireNames, wires, type Hop, type WireName } from "./chain.ts";

const picture = "data:image/png;base64,iVBORw0KGgo=";
const question: InputItem = user([
  { type: "input_text", text: "What is the weather where this was taken, and what time is it there?" },
  { type: "input_image", image_url: picture, detail: "auto" },
]);
const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [functionTool("weather", "Tells the weather.", place), functionTool("clock", "Tells the time.", place)];

// What a provider of each wire wants to see again, as its codec keeps it.
const blobs: Readonly<Record<WireName, string | undefined>> = {
  responses: "gAAAAABoblob+/==",
  chat: undefined,
  messages: seal({ wire: "messages", kind: "signature", data: "EqQBCkgIARABGAIiQ+/==" }),
  gemini: seal({ wire: "gemini", kind: "call", data: "CiQB0e2Kb+/==" }),
};

const thoughtOf = (upstream: WireName): Item => ({
  type: "reasoning",
  id: "rs_1",
  status: "completed",
  summary: upstream === "gemini" || upstream === "responses" ? [{ type: "summary_text", text: "It is Oslo." }] : [],
  ...(upstream === "chat" || upstream === "messages"
    ? { content: [{ type: "reasoning_text" as const, text: "It is Oslo." }] }
    : {}),
  ...(blobs[upstream] ? { encrypted_content: blobs[upstream] } : {}),
});
const call = (name: string, n: number): Item => ({
  type: "function_call",
  id: `fc_${n}`,
  call_id: `call_${n}`,
  name,
  arguments: '{"city":"Oslo"}',
  status: "completed",
});
const answer: Item = {
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: "It is sunny in Oslo, and noon. ☀️", annotations: [] }],
};

/** A tool loop of two turns: a client of one wire, a model behind another, and nothing but bytes between them. */
async function toolLoop(client: WireName, upstream: WireName) {
  const thought = thoughtOf(upstream);
  const model = scripted([[thought, call("weather", 1), call("clock", 2)], [answer]]);
  const hops: { client: Hop; upstream: Hop } = { client: { losses: [] }, upstream: { losses: [] } };
  const ask = over(wires[client], over(wires[upstream], asking(model), hops.upstream), hops.client);
  const request: CreateResponse = { model: "m", instructions: "Be brief.", input: [question], tools, max_output_tokens: 500 };
  const first = answerOf(await ask(request));
  const outputs = functionCalls(first).map(({ call_id, name }) => functionCallOutput(call_id, `${name}: fine`));
  const second = answerOf(await ask({ ...request, input: [question, ...first.output, ...outputs] }));
  return { first, second, seen: model.requests, hops };
}

const paths = ({ losses }: Hop): string[] => [...new Set(losses.map(({ path }) => path))].toSorted();

/** What the model is shown of the items, without ids and the form that each wire gives to plain text. */
const shown = (request: CreateResponse | undefined): string[] =>
  (Array.isArray(request?.input) ? request.input : []).map((item) => {
    if (item.type === "function_call") return `call ${item.name} ${item.arguments}`;
    if (item.type === "function_call_output") return `output ${JSON.stringify(item.output)}`;
    return "role" in item
      ? `${item.role} ${JSON.stringify(item.content).includes("iVBORw0KGgo=") ? "with a picture" : ""}`.trim()
      : (item.type ?? "reference");
  });

describe.each(wireNames.flatMap((client) => wireNames.map((upstream) => ({ client, upstream }))))(
  "a client of $client, a model behind $upstream",
  ({ client, upstream }) => {
    test("a tool loop with a picture, thinking and parallel calls survives", async () => {
      const { first, second, seen } = await toolLoop(client, upstream);
      expect(functionCalls(first).map(({ name, arguments: input }) => [name, JSON.parse(input)])).toEqual([
        ["weather", { city: "Oslo" }],
        ["clock", { city: "Oslo" }],
      ]);
      expect(thinking(first)).toBe("It is Oslo.");
      expect(text(second)).toBe("It is sunny in Oslo, and noon. ☀️");
      expect(second.status).toBe("completed");
      const items = shown(seen[1]).filter((item) => item !== "reasoning");
      expect(items).toEqual([
        "user with a picture",
        'call weather {"city":"Oslo"}',
        'call clock {"city":"Oslo"}',
        'output "weather: fine"',
        'output "clock: fine"',
      ]);
      expect(seen[1]).toMatchObject({ instructions: "Be brief.", max_output_tokens: 500 });
      expect(seen[1]?.tools?.map((tool) => ("name" in tool ? tool.name : ""))).toEqual(["weather", "clock"]);
    });

    test("the provider's own blob comes back to it byte for byte, where the client has a place for it", async () => {
      const { seen } = await toolLoop(client, upstream);
      const items = Array.isArray(seen[1]?.input) ? seen[1].input : [];
      const back = items.flatMap((item) =>
        item.type === "reasoning" && "encrypted_content" in item ? [item.encrypted_content] : [],
      );
      // A client of Chat Completions has no place for it.
      expect(back).toEqual(client === "chat" || !blobs[upstream] ? [] : [blobs[upstream]]);
    });

    test("what is lost on the way is declared", async () => {
      const { hops } = await toolLoop(client, upstream);
      // Thoughts that a client of Chat Completions sends back have lost their signature, which two wires insist on.
      const unsigned = client === "chat" && (upstream === "messages" || upstream === "gemini");
      expect({ client: paths(hops.client), upstream: paths(hops.upstream) }).toEqual({
        client: [],
        upstream: unsigned ? ["input[1]"] : [],
      });
    });
  },
);
