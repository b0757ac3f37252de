import { offline as offlineModel } from "../../testing/offline/index.ts";
import type { Preset } from "../preset.ts";

export const offline: Preset = {
  name: "offline",
  wire: "local",
  respond: offlineModel,
  models: { chat: "offline" },
  stores: true,
  features: ["schema", "tool_choice"],
  note: "A deterministic model inside this process: no key, no network.",
};
