/**
 * A gateway with one model, until it is killed; says on standard output where it listens. Arguments: its name, where its
 * store is, where the model is, and how long its leases last.
 */
import { connect, provider } from "antiphon";
import { writeSync } from "node:fs";
import { startGateway } from "../../src/node.ts";

const [name = "", store = "", baseUrl = "", lease = ""] = process.argv.slice(2);
const upstream = provider("openai", { baseUrl, apiKey: "none", model: "m", headers: { "x-gateway": name } });
const respond = connect(upstream, { retry: { retries: 0 } });

const { url, close } = await startGateway({
  port: 0,
  store,
  telemetry: { logs: false },
  runs: { lease: Number(lease), poll: 50 },
  limits: { maxBackground: 500 },
  catalogue: {
    resolve: () => ({ name: "m", model: "m", provider: "openai", respond, cost: () => undefined }),
    resolveEmbeddings: () => {
      throw new Error("There are none.");
    },
    list: async () => [],
  },
});
process.on("SIGTERM", () => void close().then(() => process.exit(0)));
writeSync(1, `${url}\n`);
