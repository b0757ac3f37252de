import { onTestFinished } from "vitest";
import type { CreateResponse } from "../../../src/model/index.ts";
import { connectSocket, type ConnectSocketOptions, type SocketRespond } from "../../../src/transport/websocket-connect.ts";
import { quick } from "../../faults/support.ts";
import { upstreamAt } from "./upstream.ts";

/** A model over WebSockets, closed when the test ends. */
export function socketsTo(origin: string, options: ConnectSocketOptions = {}): SocketRespond {
  const respond = connectSocket(upstreamAt(origin), { ...quick, ...options });
  onTestFinished(() => respond.close());
  return respond;
}

/** A request that leaves no trace, going on from another where one is named. */
export const fleeting = (previous_response_id?: string): CreateResponse => ({
  input: "Hello",
  store: false,
  ...(previous_response_id ? { previous_response_id } : {}),
});

/** Waits until something holds, which sockets take a moment for. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
