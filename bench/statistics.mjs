/** The figures of all rounds, asked for by row and scenario. Ratios are taken within a round, where the machine was in one mood. */
import { baseline } from "./rows/index.mjs";

export function median(numbers) {
  const sorted = numbers.filter((number) => Number.isFinite(number)).toSorted((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @typedef {{ scenario: string, cpuMicros: number, wallMs: number, firstDeltaMs: number[], peakMb: number }} Figure
 * @typedef {{ row: string, suite: string, round: number, importMs: number, coldFirstDeltaMs: number, figures: Figure[] }} Measurement
 */

/** @param {Measurement[]} measurements */
export function statistics(measurements) {
  const figures = measurements.flatMap(({ row, round, figures }) => figures.map((figure) => ({ row, round, ...figure })));
  const of = (row, scenario) => figures.filter((figure) => figure.row === row && figure.scenario === scenario);
  const processes = (row) => measurements.filter((each) => each.row === row);
  return {
    cpu: (row, scenario) => median(of(row, scenario).map(({ cpuMicros }) => cpuMicros)),
    ratio(row, scenario) {
      const base = new Map(of(baseline, scenario).map(({ round, cpuMicros }) => [round, cpuMicros]));
      return median(of(row, scenario).map(({ round, cpuMicros }) => cpuMicros / (base.get(round) ?? NaN)));
    },
    firstDelta: (row, scenario) => median(of(row, scenario).map(({ firstDeltaMs }) => median(firstDeltaMs))),
    peak: (row, scenario) => median(of(row, scenario).map(({ peakMb }) => peakMb)),
    importTime: (row) => median(processes(row).map(({ importMs }) => importMs)),
    coldFirstDelta: (row, suite) =>
      median(processes(row).flatMap((each) => (each.suite === suite ? [each.coldFirstDeltaMs] : []))),
    measured: (scenario) => figures.some((figure) => figure.scenario === scenario),
    rounds: (scenario) => of(baseline, scenario).length,
  };
}
