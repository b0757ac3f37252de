import { BlockList, isIP } from "node:net";

/** Addresses that are not somebody's on the public network. */
const reserved = new BlockList();

// As the registries of special-purpose addresses list them, IANA's, and what clouds add to them.
const reservedRanges: readonly string[] = [
  "0.0.0.0/8", // this network: on many systems this machine
  "10.0.0.0/8", // private
  "100.64.0.0/10", // between carriers and their customers; Alibaba's metadata
  "127.0.0.0/8", // this machine
  "168.63.129.16/32", // Azure's own services
  "169.254.0.0/16", // this link; the metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocols; Oracle's metadata
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // groups
  "240.0.0.0/4", // reserved, and everybody at once
  "2001::/23", // protocols; Teredo, which holds IPv4 addresses
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which holds IPv4 addresses
  "3fff::/20", // documentation
];

/** Of IPv6, only this part is given out. What holds an IPv4 address of any kind (mapped, compatible, NAT64) is outside of it. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet("2000::", 3, "ipv6");

const loopback = new BlockList();

for (const range of reservedRanges) addRange(reserved, range);
for (const range of ["127.0.0.0/8", "::1/128"]) addRange(loopback, range);

/** Adds an address, or a range such as `10.0.0.0/8`; says whether it is one. */
export function addRange(list: BlockList, range: string): boolean {
  const [address = "", bits, ...rest] = range.split("/");
  const family = familyOf(address);
  if (!family || rest.length > 0) return false;
  const longest = family === "ipv4" ? 32 : 128;
  if (bits !== undefined && !(/^\d+$/.test(bits) && Number(bits) <= longest)) return false;
  list.addSubnet(address, bits === undefined ? longest : Number(bits), family);
  return true;
}

/** Whether an address is in a list. */
export function isIn(list: BlockList, address: string): boolean {
  const family = familyOf(address);
  return family !== undefined && list.check(address, family);
}

/** Whether an address is somebody's on the public network; what is no address is not. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (!family || reserved.check(address, family)) return false;
  return family === "ipv4" || globalUnicast.check(address, family);
}

/** Whether a host, an address or a name, is this machine and can be nothing else. */
export function isLoopback(host: string): boolean {
  // Every request to a gateway without keys asks this, and looking an address up in a list is dear.
  if (host === "127.0.0.1") return true;
  const name = host.replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name.endsWith(".localhost") || isIn(loopback, name);
}

/** An address with a zone is of one link, and none that callers should name. */
function familyOf(address: string): "ipv4" | "ipv6" | undefined {
  if (address.includes("%")) return undefined;
  return ({ 4: "ipv4", 6: "ipv6" } as const)[isIP(address)];
}
