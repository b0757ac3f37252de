/**
 * How many cases a property test tries: few in `npm test`, many in `npm run soak`.
 *
 * @example
 * fc.assert(fc.property(events, holds), { numRuns: runs(100, 20_000) });
 */
export const runs = (quick: number, full: number): number => (process.env["ANTIPHON_SOAK"] ? full : quick);
