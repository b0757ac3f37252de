import type { Preset } from "../preset.ts";

export const openResponses = (): Preset => ({
  name: "open-responses",
  wire: "responses",
  env: ["OPEN_RESPONSES_API_KEY"],
  keyless: true,
  features: ["images", "schema", "tool_choice"],
  note: "Any server that follows the Open Responses specification; set its base URL.",
});
