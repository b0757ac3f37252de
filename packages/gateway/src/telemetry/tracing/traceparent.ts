/** Where a span stands among others, as OpenTelemetry writes it. */
export interface SpanPlace {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const isZero = (id: string): boolean => /^0+$/.test(id);

/** The span that a W3C `traceparent` header names; `undefined` where it is missing or not lawful. */
export function parseTraceparent(header: string | null): SpanPlace | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest] = form.exec(header?.trim() ?? "") ?? [];
  // Later versions may add to the end, and must be read as far as they are known; `ff` is never a version.
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (isZero(traceId) || isZero(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** The header that tells another server of a span. */
export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanPlace): string | undefined =>
  isZero(traceId) || isZero(spanId) ? undefined : `00-${traceId}-${spanId}-${(traceFlags & 1).toString(16).padStart(2, "0")}`;
