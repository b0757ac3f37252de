import { describe, expect, test } from "vitest";
import { sessionJournal } from "../../src/agent/session-journal.ts";
import { memorySessions } from "../../src/conversation/memory-sessions.ts";
import { functionCallOutput } from "../../src/model/construct.ts";

describe("a journal in a session store", () => {
  test("lets a call run once, and then tells what came of it", async () => {
    const journal = sessionJournal(memorySessions(), "s");
    expect(await journal.claim("c1")).toBe("run");
    expect(await journal.claim("c1")).toBe("taken");
    await journal.settle("c1", functionCallOutput("c1", "Done."));
    expect(await journal.claim("c1")).toEqual({ output: functionCallOutput("c1", "Done.") });
    expect(await journal.claim("c2")).toBe("run");
  });

  test("lets exactly one of several processes run a call", async () => {
    const store = memorySessions();
    const journals = Array.from({ length: 5 }, () => sessionJournal(store, "s"));
    const claims = await Promise.all(journals.flatMap((journal) => [journal.claim("c1"), journal.claim("c2")]));
    expect(claims.filter((claim) => claim === "run")).toHaveLength(2);
    expect(claims.filter((claim) => claim === "taken")).toHaveLength(8);
    await Promise.all(journals.map((journal, index) => journal.settle(`c${index}`, functionCallOutput(`c${index}`, "Done."))));
    expect(await sessionJournal(store, "s").claim("c3")).toMatchObject({ output: { call_id: "c3" } });
  });

  test("fails where it cannot write, and is right again afterwards", async () => {
    const store = memorySessions();
    let full = true;
    const journal = sessionJournal(
      { ...store, append: async (...record) => (full ? Promise.reject(new Error("No space.")) : store.append(...record)) },
      "s",
    );
    await expect(journal.claim("c1")).rejects.toThrow("No space.");
    full = false;
    expect(await journal.claim("c1")).toBe("run");
  });
});
