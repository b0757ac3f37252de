import { provider } from "../../src/providers/registry.ts";

/** Reads the codecs of all wires, which wait until they are needed: for tests that ask a provider's codec itself. */
export async function loadCodecs(): Promise<void> {
  for (const name of ["openai", "chat", "anthropic", "gemini"]) {
    const upstream = provider(name);
    if ("codec" in upstream) await upstream.codec.load?.();
  }
}
