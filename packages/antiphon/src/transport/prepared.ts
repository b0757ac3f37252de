import { AntiphonError, messageOf } from "../core/error.ts";
import { Stop, type StopSignal } from "../core/stop.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { WireUpstream } from "./upstream.ts";

/** Waits until an upstream is ready for a request, no longer than for a connection. */
export async function prepared(
  { name, prepare }: Pick<WireUpstream, "name" | "prepare">,
  connectTimeout: number,
  signal: StopSignal | undefined,
): Promise<void> {
  if (!prepare) return;
  const late = new Stop();
  const giveUp = (): void =>
    late.abort(
      new AntiphonError("TIMEOUT", `Fetching the API key took longer than ${connectTimeout} ms (\`timeouts.connect\`).`),
    );
  const timer = connectTimeout > 0 ? setTimeout(giveUp, connectTimeout) : undefined;
  try {
    await unlessAborted(unlessAborted(prepare(), late), signal);
  } catch (thrown) {
    if (thrown instanceof AntiphonError) throw thrown.with({ provider: name });
    throw new AntiphonError("AUTH_ERROR", `The API key could not be fetched: ${messageOf(thrown)}`, {
      provider: name,
      cause: thrown,
    });
  } finally {
    clearTimeout(timer);
  }
}
