const slug = "antiphon:1";

/** What a provider wants to see again: a signature, a redacted block, a list of details. */
export interface Envelope {
  /** The wire, and where it matters the vendor, that can read it: `messages`, `gemini`, `chat.openrouter`. */
  wire: string;
  /** What the data is: `signature`, `redacted`, … */
  kind: string;
  /** As it came, to the byte. */
  data: string;
}

/**
 * Puts a provider's own words into a reasoning item's `encrypted_content`, so that any client that sends items back sends
 * them too. It is an address, not a cipher: what it holds was opaque already.
 */
export const seal = ({ wire, kind, data }: Envelope): string => `${slug}:${wire}:${kind}:${data}`;

/** The envelope in an `encrypted_content`, or nothing where it is some provider's own blob. */
export function unseal(content: string | null | undefined): Envelope | undefined {
  if (!content?.startsWith(`${slug}:`)) return undefined;
  const [wire, kind, ...data] = content.slice(slug.length + 1).split(":");
  return wire && kind ? { wire, kind, data: data.join(":") } : undefined;
}
