import { AntiphonError } from "antiphon";
import { silent, type Telemetry } from "./telemetry.ts";

/**
 * Combines several telemetry sinks into one. At most one may trace.
 *
 * @example
 * const telemetry = combine(metrics, logs());
 */
export function combine(...parts: readonly Telemetry[]): Telemetry {
  const tracing = parts.filter(({ begin, model }) => begin ?? model);
  if (tracing.length > 1) throw new AntiphonError("BAD_REQUEST", "Only one telemetry of a gateway can create traces.");
  const [only = silent] = parts;
  if (parts.length < 2) return only;
  const [tracer] = tracing;
  return {
    ...(tracer?.begin && { begin: (start) => tracer.begin!(start) }),
    ...(tracer?.model && { model: (respond, run) => tracer.model!(respond, run) }),
    request: (facts) => {
      for (const part of parts) part.request(facts);
    },
    run: (facts) => {
      for (const part of parts) part.run(facts);
    },
    log: (entry) => {
      for (const part of parts) part.log(entry);
    },
    close: async () => {
      await Promise.all(parts.flatMap((part) => part.close?.() ?? []));
    },
  };
}
