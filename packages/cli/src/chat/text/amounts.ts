/** A time as a person says it, and never as none at all: `0.4 s`, `12 s`, `3 min 5 s`. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 10) return `${Math.max(0.1, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const rounded = Math.round(seconds);
  return `${Math.floor(rounded / 60)} min ${rounded % 60} s`;
}

/** A number of bytes, short: `812 B`, `4.2 kB`, `17 MB`. */
export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let value = count;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A number of tokens, short: `812`, `4.2k`, `170k`. */
export const tokens = (count: number): string => {
  if (count < 1_000) return String(count);
  return count < 10_000 ? `${(count / 1_000).toFixed(1)}k` : `${Math.round(count / 1_000)}k`;
};

/** An amount of money: cents where there are some, else as many places as it takes. */
export const money = (dollars: number): string =>
  `$${dollars === 0 || dollars >= 0.01 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
