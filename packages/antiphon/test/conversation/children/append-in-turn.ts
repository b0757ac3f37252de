// Appends its share of records to a session that others append to as well; who comes too late loads it and tries again.
import { AntiphonError } from "../../../src/core/error.ts";
import { fileSessions } from "../../../src/node/file-sessions.ts";

const [directory = "", id = "", name = "", share = "0"] = process.argv.slice(2);
const store = fileSessions(directory);

for (let done = 0; done < Number(share);) {
  const at = (await store.load(id))?.records.length ?? 0;
  try {
    await store.append(id, at, [
      { type: "entry", entry: { item: { type: "message", role: "user", content: `${name} ${done}` } } },
    ]);
    done += 1;
  } catch (error) {
    if (!(error instanceof AntiphonError) || error.vendorCode !== "session_conflict") throw error;
  }
}
