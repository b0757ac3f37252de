import { setTimeout as sleep } from "node:timers/promises";
import { logs } from "../../src/telemetry/logs/logs.ts";

// Writes as many lines as it is told to standard error, and then says on standard output how it went.
const count = Number(process.argv[2]);
const log = logs({ format: "json", maxWaiting: 600_000 });
let beats = 0;
const timer = setInterval(() => (beats += 1), 1);
for (let at = 0; at < count; at += 1) {
  log.log({ level: "info", message: "line", at });
  if (at % 100 === 99) await sleep(0);
}
await sleep(20);
clearInterval(timer);
process.stdout.write(JSON.stringify({ dropped: log.dropped, beats }));
await log.close();
