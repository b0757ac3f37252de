/**
 * A suite is what one process measures, scenario after scenario. Scenarios whose peak memory is reported come first in a process of
 * their own, since the peak of a process never falls again. `maxRounds` bounds what peers are asked where that takes long; those marked `full` are
 * left out of a quick run. `streams` is the least that every row reads.
 *
 * @typedef {{ scenario: string, streams: number, times?: number }} Measure `times` as long as others it is warmed up and measured.
 * @typedef {{ id: string, measures: Measure[], maxRounds?: number, full?: true }} Suite
 */

/**
 * A short stream is a request more than anything else, whose code is compiled late: half a second would measure the compiler. So it would
 * where two lengths are compared, of which one comes first in its process.
 */
const compiled = { times: 4 };

/** @type {Suite[]} */
export const suites = [
  { id: "first-delta", measures: [{ scenario: "text-200-paced-1", streams: 10 }] },
  {
    id: "one-at-a-time",
    measures: [
      { scenario: "text-200-1k-1", streams: 20, ...compiled },
      { scenario: "text-200-16k-1", streams: 20, ...compiled },
      { scenario: "text-20000-1k-1", streams: 3 },
    ],
  },
  {
    id: "fifty-at-once",
    measures: [
      { scenario: "text-200-1k-50", streams: 50, ...compiled },
      { scenario: "text-200-16k-50", streams: 50, ...compiled },
    ],
  },
  {
    id: "long",
    measures: [
      { scenario: "text-20000-16k-1", streams: 3, ...compiled },
      { scenario: "text-2000-16k-1", streams: 3, ...compiled },
    ],
  },
  { id: "fifty-paced", measures: [{ scenario: "text-200-paced-50", streams: 50 }], maxRounds: 2, full: true },
  { id: "long-paced", measures: [{ scenario: "text-20000-paced-1", streams: 1 }], full: true },
  { id: "fifty-long", measures: [{ scenario: "text-20000-16k-50", streams: 50 }], maxRounds: 1, full: true },
  {
    id: "arguments",
    measures: [
      { scenario: "arguments-200-16k-1", streams: 20 },
      { scenario: "arguments-2000-16k-1", streams: 2 },
    ],
    maxRounds: 2,
  },
  { id: "loop", measures: [{ scenario: "loop-20-16k-1", streams: 5 }] },
  {
    id: "object",
    measures: [
      { scenario: "object-200-16k-1", streams: 20 },
      { scenario: "object-2000-16k-1", streams: 2 },
    ],
    maxRounds: 2,
  },
  { id: "object-long", measures: [{ scenario: "object-20000-16k-1", streams: 1 }], maxRounds: 3, full: true },
  { id: "arguments-long", measures: [{ scenario: "arguments-20000-16k-1", streams: 1 }], maxRounds: 1, full: true },
  {
    id: "large-event",
    measures: [
      { scenario: "image-1-16k-1", streams: 1 },
      { scenario: "image-2-16k-1", streams: 1 },
    ],
    maxRounds: 2,
  },
  {
    id: "larger-event",
    measures: [
      { scenario: "image-4-16k-1", streams: 1 },
      { scenario: "image-8-16k-1", streams: 1 },
    ],
    maxRounds: 1,
    full: true,
  },
];

/** A scenario asked for by name makes a suite of its own, whether it stands above or not. */
export const suiteOf = (scenario) => ({
  id: scenario,
  measures: [suites.flatMap(({ measures }) => measures).find((each) => each.scenario === scenario) ?? { scenario, streams: 1 }],
});
