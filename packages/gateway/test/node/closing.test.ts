import { fromBatches, type Respond } from "antiphon";
import { offline } from "antiphon/testing";
import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import { startGateway } from "../../src/node.ts";
import { send, SocketClient } from "../support/client.ts";
import { catalogueOf } from "../support/upstreams.ts";

/** A gateway with a model that answers when it is let go. */
async function heldGateway() {
  const model = offline();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow: Respond = (asked, call) =>
    fromBatches(async function* () {
      await held;
      for await (const event of model(asked, call)) yield [event];
    });
  const served = await startGateway({
    port: 0,
    catalogue: catalogueOf({ offline: model, slow }),
    telemetry: { logs: false },
  });
  const { live } = served.gateway.context;
  const busy = async (): Promise<void> => {
    while (live.size === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  return { served, busy, release };
}

const question = { input: "Hi", store: false };

/** Asks on a connection that is kept; gives what the answer says of it. */
const askKept = (url: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/v1/responses`, { method: "POST", agent: new Agent({ keepAlive: true }) }, (response) => {
      response.resume().on("end", () => resolve(response.headers.connection));
    });
    asked.on("error", reject).end(JSON.stringify({ ...question, model: "slow" }));
  });

test("a gateway that closes asks clients that keep their connection to leave it", async () => {
  const { served, busy, release } = await heldGateway();
  const connection = askKept(served.url);
  await busy();
  const closed = served.close();
  release();
  expect(await connection).toBe("close");
  await closed;
});

test("a gateway that closes takes leave of a WebSocket after the answer that is under way", async () => {
  const { served, busy, release } = await heldGateway();
  const client = await new SocketClient(`${served.url}/v1/responses`).open();
  const other = send(`${served.url}/v1/responses`, { ...question, model: "slow" });
  await busy();
  const closed = served.close();
  const told = await client.turn({ ...question, model: "offline" });
  expect(told.at(-1)?.type).toBe("response.completed");
  expect(await client.closed).toBe(1001);
  release();
  expect((await other).status).toBe(200);
  await closed;
});
