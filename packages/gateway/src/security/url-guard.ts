import { isIP } from "node:net";
import { AntiphonError } from "antiphon";
import { isPublic } from "./addresses.ts";
import { AllowList } from "./allow-list.ts";

export interface UrlGuardOptions {
  /** Hosts that may be named though they are not public: names, `*.suffix`, addresses, ranges, each but ranges also with a port. */
  allow?: readonly string[];
  /** Schemes beside `http` and `https`, such as `gs`, which the upstream fetches with the gateway's rights. */
  schemes?: readonly string[];
}

/** Names that mean something in one network only, with all names below them. */
const privateNames: ReadonlySet<string> = new Set([
  "localhost",
  "local",
  "localdomain",
  "internal", // the metadata of Google's cloud, hosts of Amazon's
  "intranet",
  "private",
  "corp",
  "home",
  "home.arpa",
  "lan",
  "svc", // services of Kubernetes
]);

const longest = 8_192;

// What other programs read differently than we do, so that they would go elsewhere: control characters and blanks, backslashes, names
// before an `@`, slashes that are missing or too many.
const oddCharacters = /[\p{Cc}\p{Z}\\]/u;
const webUrl = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/i;

/** Checks that a URL supplied by a caller does not lead to a private address. */
export class UrlGuard {
  readonly #allow: AllowList;
  readonly #schemes: ReadonlySet<string>;

  constructor({ allow, schemes = [] }: UrlGuardOptions = {}) {
    this.#allow = new AllowList(allow);
    this.#schemes = new Set(schemes.map((scheme) => `${scheme.toLowerCase()}:`).filter((scheme) => !/^https?:/.test(scheme)));
  }

  /**
   * Refuses a URL that names a private place, as far as that can be seen without asking for its address.
   *
   * @example
   * guard.check("http://169.254.169.254/latest/meta-data", "input[0].content[0].image_url"); // throws BAD_REQUEST
   */
  check(text: string, param?: string): URL {
    const url = parse(text, param);
    if (this.#schemes.has(url.protocol)) return url;
    const authority = webUrl.exec(text)?.[1];
    if (authority === undefined) throw refused("must be a plain http or https URL", param);
    const host = hostOf(url);
    // `010.0.0.1` is 8.0.0.1 to some and 10.0.0.1 to others.
    if (isIP(host) === 4 && authority.replace(/:\d*$/, "") !== host)
      throw refused("has an IPv4 address in an unusual notation", param);
    if (this.#allow.hasHost(host, portOf(url))) return url;
    if (isIP(host) ? !isPublic(host) : isPrivateName(host)) throw refused("points to a private network", param);
    if (!isOrdinaryPort(portOf(url))) throw refused("has a port that is not allowed: use 80, 443 or 1024 and above", param);
    return url;
  }

  /** Refuses a URL, that was checked, for the addresses that its name stands for: one bad address is enough. */
  checkAddresses(url: URL, addresses: readonly string[]): void {
    const port = portOf(url);
    if (this.#allow.hasHost(hostOf(url), port)) return;
    // Which address it was is not told: that would make us an oracle for names of the network that we are in.
    for (const address of addresses)
      if (!isPublic(address) && !this.#allow.hasAddress(address, port)) throw refused("points to a private network");
  }
}

function parse(text: string, param: string | undefined): URL {
  if (text.length > longest) throw refused(`is longer than ${longest} characters`, param);
  if (oddCharacters.test(text)) throw refused("contains characters that are not allowed", param);
  try {
    return new URL(text);
  } catch {
    throw refused("is not a URL", param);
  }
}

/** The host of a URL: an address without brackets, or a name without the dot that may end it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "https:" ? 443 : 80) : Number(port));

/** Below 1024 are mail, shells and the like, which a web request could be made to talk to. */
const isOrdinaryPort = (port: number): boolean => port === 80 || port === 443 || port >= 1_024;

/** Whether a name is private itself or below one; a name of one part can only be. */
function isPrivateName(host: string): boolean {
  const labels = host.split(".");
  return labels.length < 2 || labels.some((label, index) => label === "" || privateNames.has(labels.slice(index).join(".")));
}

const refused = (why: string, param?: string): AntiphonError =>
  new AntiphonError("BAD_REQUEST", `The URL ${param === undefined ? "" : `in \`${param}\` `}${why}.`, {
    status: 400,
    param,
    vendorCode: "url_not_allowed",
  });
