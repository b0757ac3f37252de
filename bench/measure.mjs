/** CPU of work without a network, for the benches of pure functions. */

const warmUp = 400_000;

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** CPU of one run, in microseconds. */
function once(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** CPU of several kinds of work, each the median of runs that take turns, so that a slow moment of the machine hits all alike. */
export function cpu(rounds, ...works) {
  for (const work of works) for (let spent = 0; spent < warmUp;) spent += once(work) + 1;
  const taken = Array.from({ length: rounds }, () => works.map(once));
  return works.map((_, index) => median(taken.map((round) => round[index])));
}

export const cells = (values) => `| ${values.join(" | ")} |`;
