import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { newKey, type KeyOptions } from "../../../../src/keys/new-key.ts";
import { startGateway, type Served, type ServeOptions } from "../../../../src/node.ts";
import { sqliteStore } from "../../../../src/store/sqlite.ts";
import type { Store } from "../../../../src/store/store.ts";

/** A gateway on a port of its own; it is closed when the test is over. Nothing of the environment is offered by it. */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const served = await startGateway({ port: 0, discover: [], telemetry: { logs: false }, ...options });
  onTestFinished(() => served.close({ signal: AbortSignal.timeout(1_000) }));
  return served;
}

/** An SQLite store in a folder of its own; both are gone when the test is over. */
export async function storeInFolder(): Promise<{ store: Store; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "antiphon-security-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { store: await sqliteStore(join(folder, "gateway.db")), folder };
}

/** A key that the store knows, as the header that carries it. */
export async function keyOf(
  store: Store,
  options: Partial<KeyOptions> = {},
  now?: number,
): Promise<{ secret: string; id: string; bearer: { authorization: string } }> {
  const { secret, key } = newKey({ name: "test", ...options }, now);
  await store.createKey(key);
  return { secret, id: key.id, bearer: { authorization: `Bearer ${secret}` } };
}

/** What was answered, as far as a client can see it. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Asks a route such as `GET /v1/models`. */
export async function ask(url: string, route: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> {
  const [method = "", path = ""] = route.split(" ");
  const response = await fetch(url + path, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && {
      body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    }),
  });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}

/** Waits for something that nothing tells of. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
