import type { Answer, HttpResponse } from "./upstream.ts";
import { unref } from "./timeouts.ts";

/** A body as text, cut off at a number of bytes. */
export interface BoundedText {
  text: string;
  cut: boolean;
}

/** Reads a body as text up to `limit` bytes; the connection is given up where there is more. */
export async function readText(response: HttpResponse, limit: number): Promise<BoundedText> {
  const decoder = new TextDecoder();
  let text = "";
  for (let left = limit; left > 0;) {
    const bytes = await response.read();
    if (bytes === undefined) return { text: text + decoder.decode(), cut: false };
    text += decoder.decode(bytes.subarray(0, left), { stream: true });
    left -= bytes.length;
  }
  response.cancel();
  return { text: text + decoder.decode(), cut: true };
}

const drainBytes = 64 * 1024;
const drainTime = 500;

/** Reads away what is left of a body that nobody needs, so that its connection can be used again; gives it up if that takes long. */
export async function drain(response: Answer): Promise<void> {
  if (response.isOver) return;
  const timer = setTimeout(() => response.cancel(), drainTime);
  unref(timer);
  try {
    for (let left = drainBytes; left > 0;) {
      const chunk = await response.read();
      if (chunk === undefined) return;
      left -= chunk.length;
    }
    response.cancel();
  } catch {
    // The connection broke, and nobody needs it.
  } finally {
    clearTimeout(timer);
  }
}
