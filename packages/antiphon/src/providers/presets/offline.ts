import { lazily } from "../../core/respond.ts";
import type { Preset } from "../preset.ts";

export const offline = (): Preset => ({
  name: "offline",
  wire: "local",
  hosts: "catalogue",
  // Loaded when first asked: most programs that import the library talk to somebody else.
  respond: () => lazily(async () => (await import("../../testing/offline/index.ts")).offline()),
  embed: async (texts, dimensions) => (await import("../../testing/offline/embed.ts")).embedOffline(texts, dimensions),
  models: { chat: "offline", embeddings: "offline-embedding" },
  stores: true,
  features: ["embeddings", "schema", "tool_choice"],
  note: "Runs inside the process, without key and network.",
});
