/** Antiphon's gateway, with its store in an SQLite file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { meter } from "./meter.mjs";

const [origin, module = "antiphon-gateway/node"] = process.argv.slice(2);
const { startGateway, tuneProcess } = await import(module);
// As the command does.
tuneProcess();
const folder = mkdtempSync(join(tmpdir(), "antiphon-bench-"));
process.once("exit", () => rmSync(folder, { recursive: true }));

const providers = {};
const models = {};
for (const way of ["16k", "paced", "held"])
  for (const wire of ["responses", "chat", "messages"]) {
    const name = `${wire}-${way}`;
    providers[name] = { wire, baseUrl: `${origin}/${way}/v1`, apiKey: "k", relay: true };
    models[name] = `${name}:bench-model`;
  }
const { url } = await startGateway({ port: 0, store: join(folder, "gateway.db"), providers, models });
meter(Number(new URL(url).port));
