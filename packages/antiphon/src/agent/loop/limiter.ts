/** Runs at most `most` pieces of work at a time; the others wait in line. */
export function limiter(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = most;
  const line: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => line.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else free += 1;
    }
  };
}
