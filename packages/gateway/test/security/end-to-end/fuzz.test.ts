import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../../antiphon/test/support/runs.ts";
import type { Telemetry } from "../../../src/telemetry/telemetry.ts";
import { openapi } from "../../../src/routes/openapi.ts";
import { ask, serve } from "./support/gateways.ts";
import { mutantsOf, oddValues } from "./support/mutations.ts";
import { seeds } from "./support/seeds.ts";
import { modelsOfEveryWire } from "./support/wires.ts";

const timeout = runs(60_000, 3_600_000);

/** What the gateway, or the servers behind it, took for a mistake of their own. */
class Mistakes implements Telemetry {
  readonly found: string[] = [];
  request(): void {}
  run(): void {}
  log({ error, message }: { error?: unknown; message: string }): void {
    if (error instanceof Error && error.name !== "AntiphonError") this.found.push(`${message}: ${error.stack}`);
  }
}

/** A gateway with a model behind every wire, and all that goes wrong in it or behind it. */
async function gatewayOfEveryWire() {
  const mistakes = new Mistakes();
  const telemetry = { logs: false, others: [mistakes] };
  const config = await modelsOfEveryWire(telemetry);
  const { url } = await serve({ ...config, telemetry });
  const { id } = JSON.parse((await ask(url, "POST /v1/conversations", {}, {})).text) as { id: string };
  return { url, mistakes, wires: Object.keys(config.models), conversation: id };
}

/** What is wrong with an answer, where anything is. */
function wrongWith(route: string, status: number, text: string): string | undefined {
  // The server that stands for Gemini has no vectors.
  if (text.includes("The server returned no vector")) return undefined;
  // A codec tripped over what should have been refused before, by the name of its field.
  if (text.includes("could not be encoded")) return text;
  if (status >= 500 || status < 200) return `${status} ${text}`;
  if (text.includes("could not be kept")) return text;
  if (status === 200) return undefined;
  const told = JSON.parse(text) as { type?: unknown; error?: { message?: unknown } };
  const isTold = typeof told.error?.message === "string" && (route !== "POST /v1/messages" || told.type === "error");
  return isTold ? undefined : `${status} in a form that no client of the wire reads: ${text}`;
}

describe("whatever stands in a body", () => {
  test.each(Object.entries(seeds))("is answered or refused in the words of the wire: %s", { timeout }, async (route, bodies) => {
    const { url, mistakes, wires, conversation } = await gatewayOfEveryWire();
    await fc.assert(
      fc.asyncProperty(mutantsOf(bodies), fc.constantFrom(...wires), async (body, wire) => {
        const asked = (body as { model?: unknown }).model === "offline" ? { ...body, model: wire } : body;
        const { status, text } = await ask(url, route.replace(":id", conversation), {}, asked);
        expect(wrongWith(route, status, text)).toBeUndefined();
        expect(mistakes.found.splice(0)).toEqual([]);
      }),
      { numRuns: runs(60, 5_000) },
    );
    expect(await ask(url, "GET /healthz")).toMatchObject({ status: 200 });
  });

  const { components } = openapi() as { components: { schemas: { ResponseRequest: { properties: object } } } };
  const fields = Object.keys(components.schemas.ResponseRequest.properties);

  test("every field of a request may be of a wrong kind", { timeout }, async () => {
    const { url, mistakes, wires } = await gatewayOfEveryWire();
    expect(fields.length).toBeGreaterThan(25);
    const wrong: string[] = [];
    for (const [index, field] of fields.entries())
      for (const [turn, value] of oddValues.entries()) {
        if ((index + turn) % runs(3, 1) !== 0) continue;
        const model = wires[(index + turn) % wires.length]!;
        const asked = { model, input: "Hi", store: false, [field]: value };
        const { status, text } = await ask(url, "POST /v1/responses", {}, asked);
        const found = wrongWith("POST /v1/responses", status, text) ?? mistakes.found.splice(0)[0];
        if (found) wrong.push(`${field}: ${JSON.stringify(value).slice(0, 60)} ${found.slice(0, 300)}`);
      }
    expect(wrong).toEqual([]);
  });
});
