import { anyText, either, object, rule, type Rules } from "../core/options.ts";
import type { HttpTransportOptions } from "./http-transport.ts";

/** The rules of everything that connects, perhaps through a proxy. */
export const proxyRules: Rules<HttpTransportOptions> = {
  proxy: either(
    "be a URL or false",
    anyText,
    rule("be false", (value) => value === false),
  ),
  agent: object,
};
