import { AntiphonError } from "antiphon";
import type { Telemetry } from "./telemetry.ts";

/** Tells the log why a request was refused. What is none of our own errors is a mistake of the gateway's: whoever runs it wants to know where. */
export function noteRefusal(telemetry: Telemetry, requestId: string, thrown: unknown): void {
  const level = thrown instanceof AntiphonError ? "debug" : "error";
  telemetry.log({ level, message: "request rejected", request_id: requestId, error: thrown });
}
