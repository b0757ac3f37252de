import { collect, text, type InputItem } from "antiphon";
import { describe, expect, test } from "vitest";
import { createGateway } from "../../src/gateway.ts";
import { at, modelsOf, say, serve, type Asked, type Upstream } from "./support.ts";

const sealed = (blob: string): InputItem => ({
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: blob,
});

const history = (blob: string): InputItem[] => [
  { type: "message", role: "user", content: "Hi" },
  sealed(blob),
  { type: "message", role: "assistant", content: "Hello" },
  { type: "message", role: "user", content: "And?" },
];

const sealedIn = ({ body }: Asked): string[] =>
  (Array.isArray(body.input) ? body.input : []).flatMap((item: InputItem) =>
    "encrypted_content" in item ? [String(item.encrypted_content)] : [],
  );

/** A server that can read what it sealed itself, and nothing else. */
const sealing = (name: string): Promise<Upstream> =>
  serve((asked) => {
    const isForeign = sealedIn(asked).some((blob) => !blob.startsWith(name));
    const error = { message: "The encrypted content could not be verified.", code: "invalid_encrypted_content" };
    return isForeign ? { status: 400, json: { error } } : say(name, asked);
  });

describe("sealed thoughts of another provider", () => {
  test.each([false, true])("are left out where a model cannot read them, what can be read stays, stream: %s", async (stream) => {
    const upstream = await sealing("b");
    const models = await modelsOf({ providers: { b: at(upstream) }, models: { m: "b:x" } });
    const answer = await collect(models.resolve("m").respond({ input: history("a1"), stream }));
    expect(text(answer)).toBe("b");
    expect(upstream.asked.map(sealedIn)).toEqual([["a1"], []]);
    expect(upstream.asked[1]?.body.input).toMatchObject([{}, { type: "reasoning", summary: [{ text: "Hm." }] }, {}, {}]);
  });

  test("do not stop a fallback", async () => {
    const [a, b] = await Promise.all([serve(() => ({ status: 503, json: { error: { message: "Busy." } } })), sealing("b")]);
    const models = await modelsOf({ providers: { a: at(a), b: at(b) }, models: { m: ["a:x", "b:x"] } });
    expect(text(await collect(models.resolve("m").respond({ input: history("a1") })))).toBe("b");
  });

  test("are sent to their maker, who is asked once", async () => {
    const upstream = await sealing("a");
    const models = await modelsOf({ providers: { a: at(upstream) }, models: { m: "a:x" } });
    await collect(models.resolve("m").respond({ input: history("a1") }));
    expect(upstream.asked.map(sealedIn)).toEqual([["a1"]]);
  });

  test("let a client go on with another model, also where its stream is relayed", async () => {
    const upstream = await sealing("b");
    const gateway = await createGateway({
      store: "memory",
      providers: { b: { ...at(upstream), relay: true } },
      models: { m: "b:x" },
      telemetry: { logs: false },
    });
    const body = JSON.stringify({ model: "m", input: history("a1"), stream: true });
    const response = await gateway(new Request("http://localhost/v1/responses", { method: "POST", body }));
    expect(await response.text()).toContain("response.completed");
    await gateway.close();
  });
});

/** A server that thinks, and seals its thoughts where it is asked to; one that does not refuses. */
const thinking = (seals: boolean): Promise<Upstream> =>
  serve(async (asked) => {
    const wanted = asked.body.include?.includes("reasoning.encrypted_content");
    if (wanted && !seals)
      return { status: 400, json: { error: { message: "Not supported with this model.", param: "include" } } };
    const answer = await say("Hello", asked);
    if (wanted && "json" in answer)
      (answer.json as { output: InputItem[] }).output.unshift({ ...sealed("mine"), status: "completed" } as InputItem);
    return answer;
  });

/** Asks twice, the second time going on from the first; gives what the model was asked to include, and was told of its thoughts. */
async function twoTurns(
  upstream: Upstream,
  model: string,
  request: object = {},
): Promise<{ include: unknown; sealed: string[] }[]> {
  const gateway = await createGateway({
    store: "memory",
    providers: { a: at(upstream) },
    models: { m: `a:${model}` },
    telemetry: { logs: false },
  });
  const turn = async (more: object): Promise<{ id: string; status: string }> => {
    const body = JSON.stringify({ model: "m", input: "Hi", ...request, ...more });
    const response = await gateway(new Request("http://localhost/v1/responses", { method: "POST", body }));
    return (await response.json()) as { id: string; status: string };
  };
  const { id: previous_response_id } = await turn({});
  expect((await turn({ previous_response_id })).status).toBe("completed");
  await gateway.close();
  return upstream.asked.map((asked) => ({ include: asked.body.include, sealed: sealedIn(asked) }));
}

describe("thoughts of a response that is kept", () => {
  const include = ["reasoning.encrypted_content"];

  test("are sealed by models that are known to think, and go with the next turn", async () => {
    expect(await twoTurns(await thinking(true), "gpt-5.2")).toEqual([
      { include, sealed: [] },
      { include, sealed: ["mine"] },
    ]);
  });

  test("are asked for once where the client does so, with all else that it wants included", async () => {
    const wanted = ["message.output_text.logprobs", "reasoning.encrypted_content"];
    const asked = await twoTurns(await thinking(true), "gpt-5.2", { include: wanted });
    expect(asked.map((one) => one.include)).toEqual([wanted, wanted]);
  });

  test("are not asked for where a model is not known to think", async () => {
    const asked = await twoTurns(await thinking(true), "gpt-4.1");
    expect(asked.map((one) => one.include)).toEqual([undefined, undefined]);
  });

  test("are not asked for where nothing is kept", async () => {
    const upstream = await thinking(true);
    const gateway = await createGateway({ store: "memory", providers: { a: at(upstream) }, models: { m: "a:gpt-5.2" } });
    const body = JSON.stringify({ model: "m", input: "Hi", store: false });
    await gateway(new Request("http://localhost/v1/responses", { method: "POST", body }));
    await gateway.close();
    expect(upstream.asked.map((asked) => asked.body.include)).toEqual([undefined]);
  });

  test("are done without where the model refuses to seal them", async () => {
    const asked = await twoTurns(await thinking(false), "gpt-5.2");
    expect(asked.map((one) => one.include)).toEqual([include, undefined, include, undefined]);
  });
});
