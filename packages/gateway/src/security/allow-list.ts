import { BlockList, isIP } from "node:net";
import { AntiphonError } from "antiphon";
import { addRange, isIn } from "./addresses.ts";

/** One entry: where it fits, and for which port; all where none is named. */
interface Rule {
  name?: string;
  suffix?: string;
  addresses?: BlockList;
  port: number | undefined;
}

const withPort = /^(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?$/;

/**
 * Hosts that callers may name though they are not public: `mcp.corp.example`, `*.corp.example`, `10.1.0.0/16`, `fd00::/8`; all but the
 * ranges also with a port, `localhost:8000`.
 */
export class AllowList {
  readonly #rules: readonly Rule[];

  constructor(entries: readonly string[] = []) {
    this.#rules = entries.map(ruleOf);
  }

  /** Whether a host is named itself, be it a name or an address. */
  hasHost(host: string, port: number): boolean {
    return this.#rules.some(
      (rule) =>
        isFor(rule, port) &&
        (rule.name === host || (rule.suffix !== undefined && host.endsWith(rule.suffix)) || isAddressOf(rule, host)),
    );
  }

  /** Whether an address is named, or lies in a range. */
  hasAddress(address: string, port: number): boolean {
    return this.#rules.some((rule) => isFor(rule, port) && isAddressOf(rule, address));
  }
}

const isFor = (rule: Rule, port: number): boolean => rule.port === undefined || rule.port === port;
const isAddressOf = (rule: Rule, host: string): boolean => rule.addresses !== undefined && isIn(rule.addresses, host);

function ruleOf(entry: string): Rule {
  const text = entry.trim().toLowerCase();
  const whole = addressRule(text);
  if (whole) return whole;
  const [, host = "", digits] = withPort.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address)) return addressRule(address, port) ?? refuse(entry);
  if (/^\*\.[\w.-]+$/.test(host)) return { suffix: host.slice(1), port };
  return /^[\w.-]+$/.test(host) ? { name: host, port } : refuse(entry);
}

function addressRule(range: string, port?: number): Rule | undefined {
  const addresses = new BlockList();
  return addRange(addresses, range) ? { addresses, port } : undefined;
}

function refuse(entry: string): never {
  throw new AntiphonError("BAD_REQUEST", `"${entry}" is not a host name, an address or an address range.`, {
    param: "urls.allow",
  });
}
