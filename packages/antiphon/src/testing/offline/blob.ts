import { hash } from "../../core/hash.ts";

const maker = "offline";

/** Wraps a thought into a blob that only this model opens, as providers do with `encrypted_content`. It hides nothing. */
export function seal(thought: string): string {
  const bytes = new TextEncoder().encode(thought);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  const body = btoa(binary);
  return `${maker}.${body}.${hash(body)}`;
}

/** Whether a blob is one of this model's, and whole. */
export function isSealed(blob: string): boolean {
  const [by, body, sum, ...rest] = blob.split(".");
  return by === maker && body !== undefined && sum === hash(body) && rest.length === 0;
}
