import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "../../src/conversation/persist.ts";
import { fileSessions } from "../../src/node/file-sessions.ts";
import { runs } from "../support/runs.ts";
import { saidIn } from "./chat-support.ts";
import { bundled, killed, scratch } from "./children/spawn.ts";

const kills = runs(6, 300);

test(`a chat that is killed ${kills} times goes on each time: nothing said is lost or doubled, no tool runs twice`, async () => {
  const directory = await scratch();
  const [sessions, ledger] = [join(directory, "sessions"), join(directory, "ledger.txt")];
  await writeFile(ledger, "");
  const file = await bundled(new URL("./children/pay-in-chat.ts", import.meta.url), directory);
  for (let kill = 0; kill < kills; kill += 1) {
    const { lines, errors } = await killed(file, [sessions, ledger], (kill * 5) % 17);
    expect(errors).toEqual([]);
    const log = await openLog(fileSessions(sessions), "bills");
    const said = saidIn(log.items);
    expect(said).toEqual(said.map((_, index) => `Pay bill ${index}.`));
    expect(said.length).toBeGreaterThan(Number(lines.at(-1)));
    const paid = (await readFile(ledger, "utf8")).trimEnd().split("\n");
    expect(new Set(paid).size).toBe(paid.length);
    // Whatever was not paid was said to be in doubt.
    const doubts = log.items.filter((item) => item.type === "function_call_output" && /interrupted/.test(JSON.stringify(item)));
    expect(said.length - paid.length).toBeLessThanOrEqual(doubts.length + 1);
  }
});
