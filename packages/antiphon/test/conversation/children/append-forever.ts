// Appends numbered records to a session until it is killed, and says of each when it is kept.
import { writeSync } from "node:fs";
import type { LogRecord } from "../../../src/conversation/log-records.ts";
import { fileSessions } from "../../../src/node/file-sessions.ts";

const [directory = "", id = ""] = process.argv.slice(2);
const store = fileSessions(directory);
let count = (await store.load(id))?.records.length ?? 0;

const record = (index: number): LogRecord => ({
  type: "entry",
  entry: { item: { type: "message", role: "user", content: `${index} ${"x".repeat((index * 37) % 20_000)}` } },
});

for (;;) {
  const records = Array.from({ length: 1 + (count % 3) }, (_, index) => record(count + index));
  await store.append(id, count, records);
  count += records.length;
  writeSync(1, `${count}\n`);
}
