/** Portkey's gateway, as its command starts it. */
import { createServer } from "node:net";
import { once } from "node:events";
import { meter } from "./meter.mjs";

// It wants to be told a port.
const probe = createServer().listen(0, "127.0.0.1");
await once(probe, "listening");
const { port } = probe.address();
probe.close();
await once(probe, "close");

process.argv.push("--headless", `--port=${port}`);
await import("../peers/node_modules/@portkey-ai/gateway/build/start-server.js");
for (;;) {
  const answers = await fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
  if (answers) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
meter(port);
