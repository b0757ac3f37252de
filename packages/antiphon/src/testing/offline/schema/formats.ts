import { own } from "../../../model/guards.ts";
interface Format {
  test: RegExp;
  /** The n-th example. */
  sample(n: number): string;
}

const two = (n: number): string => String(n).padStart(2, "0");
const day = (n: number): string => `2026-${two((n % 12) + 1)}-${two((n % 28) + 1)}`;
const clock = (n: number): string => `${two(n % 24)}:${two((n * 7) % 60)}:${two((n * 13) % 60)}Z`;
const digits = (n: number, length: number): string => n.toString(16).padStart(length, "0").slice(-length);
const uri: Format = { test: /^[a-z][a-z0-9+.-]*:\S+$/i, sample: (n) => `https://example.com/${n}` };
const email: Format = { test: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, sample: (n) => `person${n}@example.com` };

/** The string formats of JSON Schema: how to know one and how to make one. */
const formats: Readonly<Record<string, Format>> = {
  date: { test: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, sample: day },
  "date-time": {
    test: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    sample: (n) => `${day(n)}T${clock(n)}`,
  },
  time: { test: /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/, sample: clock },
  duration: {
    test: /^P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/,
    sample: (n) => `P${n + 1}D`,
  },
  email,
  "idn-email": email,
  hostname: {
    test: /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i,
    sample: (n) => `host${n}.example.com`,
  },
  uri,
  url: uri,
  iri: uri,
  "uri-reference": { test: /^\S*$/, sample: (n) => `/path/${n}` },
  uuid: {
    test: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    sample: (n) => `${digits(n, 8)}-0000-4000-8000-${digits(n * 31, 12)}`,
  },
  ipv4: {
    test: /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/,
    sample: (n) => `192.0.2.${(n % 254) + 1}`,
  },
  ipv6: { test: /^(?=[^:]*:)[0-9a-f:]{2,39}$/i, sample: (n) => `2001:db8::${digits((n % 65_535) + 1, 4)}` },
  byte: { test: /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/, sample: (n) => btoa(String(n).padStart(6, "0")) },
  "json-pointer": { test: /^(?:\/(?:[^~/]|~[01])*)*$/, sample: (n) => `/path/${n}` },
  regex: { test: /^[^]*$/, sample: (n) => `^${n}$` },
};

/** A format by its name, if it is a known one. */
export const formatOf = (name: unknown): Format | undefined => (typeof name === "string" ? own(formats, name) : undefined);
