import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { ModelsConfig } from "../../../../src/models/models-config.ts";
import type { TelemetryConfig } from "../../../../src/telemetry/telemetry-config.ts";
import { serve } from "./gateways.ts";

const candidate = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }] };

/** A server that gives one answer to everything, as Gemini would. */
async function geminiServer(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const isStream = request.url?.includes("stream");
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    response.end(isStream ? `data: ${JSON.stringify(candidate)}\n\n` : JSON.stringify(candidate));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1beta`;
}

/** The offline model behind each wire, under the name of the wire; and as it is, under its own. */
export async function modelsOfEveryWire(
  telemetry: TelemetryConfig = { logs: false },
): Promise<ModelsConfig & { models: Record<string, object> }> {
  const { url } = await serve({ models: { offline: "offline" }, telemetry });
  const apiKey = "none";
  const of = (name: string) => ({ use: `${name}:offline`, retries: 0 });
  return {
    providers: {
      responses: { wire: "responses", baseUrl: `${url}/openai/v1`, apiKey },
      chat: { wire: "chat", baseUrl: `${url}/v1`, apiKey },
      messages: { wire: "messages", baseUrl: `${url}/v1`, apiKey },
      gemini: { wire: "gemini", baseUrl: await geminiServer(), apiKey },
    },
    models: {
      offline: { use: "offline" },
      responses: of("responses"),
      chat: of("chat"),
      messages: of("messages"),
      gemini: of("gemini"),
    },
  };
}
