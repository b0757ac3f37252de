import type { Usage } from "antiphon";
import { newKey, type KeyOptions, type NewKey } from "../../src/keys/new-key.ts";
import type { Store } from "../../src/store/store.ts";

/** A clock that stands still until it is told otherwise. */
export class Clock {
  time = 1_000_000_000_000;
  readonly now = (): number => this.time;

  pass(milliseconds: number): void {
    this.time += milliseconds;
  }
}

/** Headers as a request carries them. */
export const headers = (fields: Record<string, string>): Headers => new Headers(fields);

export const bearer = (secret: string): Headers => headers({ authorization: `Bearer ${secret}` });

/** A key that the store knows. */
export async function keyIn(store: Pick<Store, "createKey">, clock: Clock, options: Partial<KeyOptions> = {}): Promise<NewKey> {
  const made = newKey({ name: "test", ...options }, clock.now());
  await store.createKey(made.key);
  return made;
}

export const usageOf = (total: number): Usage => ({
  input_tokens: total,
  output_tokens: 0,
  total_tokens: total,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
});
