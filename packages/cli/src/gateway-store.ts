import { join } from "node:path";
import { needs, type Settings } from "./config/load.ts";
import { dataFolder } from "./places.ts";

/** Where the gateway keeps things: as a flag or the configuration says, or else in a file of the user's. */
export function gatewayStore(settings: Pick<Settings, "values" | "unset">, flag?: string): string {
  if (flag !== undefined) return flag;
  needs(settings, ["gateway", "store"]);
  return settings.values.gateway?.store ?? join(dataFolder(), "gateway.db");
}
