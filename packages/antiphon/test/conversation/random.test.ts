import { expect, test } from "vitest";
import { recoveries } from "../../src/conversation/recover.ts";
import { runs } from "../support/runs.ts";
import { liveThrough } from "./random-conversation.ts";

const turns = 50;
// A seed that fails can be lived through again: ANTIPHON_SEED=<seed> ANTIPHON_RUNS=1.
const first = Number(process.env["ANTIPHON_SEED"] ?? 1);
const lives = Number(process.env["ANTIPHON_RUNS"] ?? runs(100, 10_000));
const timeout = runs(60_000, 3_600_000);

test(
  `no conversation ends in an error that it cannot get over, loses a question or runs a tool twice (seeds ${first} to ${first + lives - 1})`,
  { timeout },
  async () => {
    const seen = new Map<string, number>();
    for (let seed = first; seed < first + lives; seed += 1) expect(await liveThrough(seed, turns, seen)).toBeUndefined();
    const unseen = Object.keys(recoveries).filter((kind) => !seen.has(kind));
    if (lives >= 50) expect(unseen).toEqual([]);
  },
);
