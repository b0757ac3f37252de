import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../antiphon/test/support/runs.ts";
import { isPublic } from "../../src/security/addresses.ts";
import { UrlGuard } from "../../src/security/url-guard.ts";

const guard = new UrlGuard();
const refused = expect.objectContaining({ code: "BAD_REQUEST", status: 400, vendorCode: "url_not_allowed" });

const publicUrls = [
  "https://example.com/cat.png",
  "http://example.com",
  "https://example.com:8443/x?y=z#w",
  "https://sub.домен.example/ä",
  "http://8.8.8.8/",
  "http://1.1.1.1:8080/",
  "http://172.15.255.255/",
  "http://172.32.0.0/",
  "http://100.128.0.1/",
  "http://[2606:4700:4700::1111]/",
  "https://example.com./",
  "https://home.example.com/",
  "https://internal.example.com/",
  "https://user.example/@name",
];

// Each stands for a way in that was used against somebody.
const privatePlaces: Readonly<Record<string, readonly string[]>> = {
  "this machine": [
    "http://127.0.0.1/",
    "http://127.255.255.254/",
    "http://[::1]/",
    "http://localhost/",
    "http://LocalHost:8080/",
  ],
  "no address in particular": ["http://0.0.0.0/", "http://0/", "http://0.1.2.3/", "http://[::]/"],
  "private networks": [
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://[fd12::1]/",
  ],
  "the network of a carrier": ["http://100.64.0.1/", "http://100.127.255.255/", "http://100.100.100.200/latest/meta-data/"],
  "this link": ["http://169.254.1.1/", "http://[fe80::1]/", "http://[febf::1]/"],
  "the metadata of a cloud": [
    "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
    "http://169.254.170.2/v2/credentials",
    "http://[fd00:ec2::254]/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata/",
    "http://instance-data.ec2.internal/",
    "http://192.0.0.192/",
    "http://168.63.129.16/metadata",
  ],
  "groups and reserved ranges": [
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://198.18.0.1/",
    "http://192.0.2.1/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://[fec0::1]/",
  ],
  "numbers written otherwise": [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0x7f.1/",
    "http://127.0.0.1./",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://%31%32%37.0.0.1/",
    "http://10.0.0.0x1/",
    "http://3232235777/",
  ],
  "numbers that others read otherwise": ["http://010.0.0.1/", "http://8.8.2056/", "http://0x8.8.8.8/", "http://1.1.1.1./"],
  "IPv4 inside IPv6": [
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:169.254.169.254]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2001:0:53aa:64c:0:fbff:80ff:fffe]/",
    "http://[::ffff:0:127.0.0.1]/",
  ],
  "names of one network": [
    "http://localhost./",
    "http://app.localhost/",
    "http://printer.local/",
    "http://db.internal/",
    "http://nas.lan/",
    "http://router.home.arpa/",
    "http://api.default.svc/",
    "http://api.default.svc.cluster.local/",
    "http://redis/",
    "http://redis:6379/",
    "http://loc\u00adalhost/",
    "http://a..local/",
    "http://.local/",
  ],
  "ports of other services": [
    "http://example.com:22/",
    "http://example.com:25/",
    "http://example.com:0/",
    "https://example.com:993/",
  ],
};

// What no URL of a web page looks like: programs disagree about where it leads.
const oddUrls = [
  "",
  "cat.png",
  "/etc/passwd",
  "//10.0.0.1/",
  "file:///etc/passwd",
  "ftp://example.com/",
  "gopher://127.0.0.1:6379/_SET",
  "dict://127.0.0.1:11211/",
  "javascript:alert(1)",
  "data:text/plain,hi",
  "gs://bucket/secret",
  "blob:http://example.com/1",
  "http:127.0.0.1",
  "http:/example.com",
  "http:///127.0.0.1/",
  "http:////127.0.0.1/",
  "http://",
  "http://user@example.com/",
  "http://user:pass@example.com/",
  "http://example.com@127.0.0.1/",
  "http://127.0.0.1:80@example.com/",
  "http://example.com\\@127.0.0.1/",
  "http:\\\\127.0.0.1\\",
  "http://127.0.0.1\\.example.com/",
  " http://example.com/",
  "http://example.com/ ",
  "http://exam\tple.com/",
  "http://example.com/\r\nHost: internal",
  "http://example.com/\u0000",
  "http://example.com/\u00a0",
  "http://[fe80::1%25eth0]/",
  "http://[fe80::1%eth0]/",
  "http://[::1/",
  "http://[1.2.3.4]/",
  "http://256.1.1.1/",
  "http://1.2.3.4.5/",
  "http://a..example.com/",
  "http://.example.com/",
  `https://example.com/${"a".repeat(9_000)}`,
];

describe("a URL that a caller names", () => {
  test.each(publicUrls)("may be %s", (url) => {
    expect(guard.check(url).href).toBe(new URL(url).href);
  });

  const cases = Object.entries(privatePlaces).flatMap(([what, urls]) => urls.map((url) => [what, url] as const));
  test.each(cases)("may not lead to %s: %s", (_, url) => {
    expect(() => guard.check(url)).toThrow(refused);
  });

  test.each(oddUrls)("may not be %j", (url) => {
    expect(() => guard.check(url)).toThrow(refused);
  });

  test("is said to be wrong by its place, without being repeated", () => {
    const path = "input[2].content[0].image_url";
    expect(() => guard.check("http://10.1.2.3/secret", path)).toThrow(
      expect.objectContaining({ param: path, message: `The URL in \`${path}\` points to a private network.` }),
    );
  });
});

describe("any address", () => {
  const byte = fc.nat({ max: 255 });
  const privateAddress = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 240, 255), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    fc.tuple(fc.integer({ min: 224, max: 239 }), byte, byte, byte),
  );
  const hex = (value: number, digits = 0): string => value.toString(16).padStart(digits, "0");
  const groups = ([a, b, c, d]: readonly number[]): string => `${hex(a! * 256 + b!)}:${hex(c! * 256 + d!)}`;
  const whole = ([a, b, c, d]: readonly number[]): number => ((a! * 256 + b!) * 256 + c!) * 256 + d!;
  const forms: readonly ((bytes: readonly number[]) => string)[] = [
    (bytes) => bytes.join("."),
    (bytes) => `${bytes.join(".")}.`,
    (bytes) => String(whole(bytes)),
    (bytes) => `0x${hex(whole(bytes))}`,
    (bytes) => `0${whole(bytes).toString(8)}`,
    (bytes) => bytes.map((value) => `0x${hex(value, 4)}`).join("."),
    (bytes) => bytes.map((value) => `0${value.toString(8)}`).join("."),
    ([a, b, c, d]) => `${a}.0X${hex(b!)}.${c! * 256 + d!}`,
    ([a, b, c, d]) => `${a}.${(b! * 256 + c!) * 256 + d!}`,
    (bytes) => bytes.join("。"),
    (bytes) => `[::ffff:${bytes.join(".")}]`,
    (bytes) => `[::${groups(bytes)}]`,
    (bytes) => `[64:ff9b::${groups(bytes)}]`,
    (bytes) => `[2002:${groups(bytes)}::]`,
  ];

  test("of a private network is refused in any form that there is", () => {
    fc.assert(
      fc.property(privateAddress, fc.constantFrom(...forms), fc.constantFrom("http", "https", "HTTP"), (bytes, form, scheme) => {
        expect(isPublic(bytes.join("."))).toBe(false);
        expect(() => guard.check(`${scheme}://${form(bytes)}/`)).toThrow(refused);
      }),
      { numRuns: runs(300, 50_000) },
    );
  });

  test("that is let through is a public one, written plainly", () => {
    const host = fc.oneof(
      fc.ipV4(),
      fc.ipV4Extended(),
      fc.ipV6().map((address) => `[${address}]`),
    );
    fc.assert(
      fc.property(host, (written) => {
        const url = `http://${written}/`;
        const parsed = new URL(url);
        const address = parsed.hostname.replace(/^\[|\]$/g, "");
        const isPlain = written.startsWith("[") || written === address;
        const check = (): URL => guard.check(url);
        if (isPlain && isPublic(address)) expect(check().hostname).toBe(parsed.hostname);
        else expect(check).toThrow(refused);
      }),
      { numRuns: runs(300, 50_000) },
    );
  });

  test("with a zone, or no address at all, is not public", () => {
    for (const text of ["2606:4700::1%eth0", "fe80::1%1", "example.com", "", "1.2.3", "8.8.8.8 "])
      expect(isPublic(text)).toBe(false);
  });
});

describe("an allow list", () => {
  const allowing = (...allow: string[]): UrlGuard => new UrlGuard({ allow });

  test.each([
    ["localhost", "http://localhost:22/"],
    ["localhost:8000", "http://localhost:8000/"],
    ["LOCALHOST", "http://localhost/"],
    ["*.corp.internal", "https://mcp.corp.internal/"],
    ["10.1.2.3", "http://10.1.2.3/"],
    ["10.1.0.0/16", "http://10.1.2.3/"],
    ["10.1.2.3:9000", "http://10.1.2.3:9000/"],
    ["[::1]:9000", "http://[::1]:9000/"],
    ["::1", "http://[::1]:9000/"],
    ["fd00::/8", "http://[fd12::1]/"],
    ["example.com:25", "http://example.com:25/"],
  ])("with %s lets %s through", (entry, url) => {
    expect(allowing(entry).check(url).href).toBe(url);
  });

  test.each([
    ["localhost:8000", "http://localhost:8001/"],
    ["*.corp.internal", "https://corp.internal/"],
    ["*.corp.internal", "https://evilcorp.internal/"],
    ["10.1.0.0/16", "http://10.2.0.1/"],
    ["10.1.2.3", "http://0x0a010203/"],
    ["localhost", "http://user@localhost/"],
    ["localhost", "file://localhost/etc/passwd"],
  ])("with %s does not let %s through", (entry, url) => {
    expect(() => allowing(entry).check(url)).toThrow(refused);
  });

  test.each(["", "a b", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "http://localhost", "*", "*.*", "fe80::1%eth0"])(
    "cannot hold %j",
    (entry) => {
      expect(() => allowing(entry)).toThrow(expect.objectContaining({ code: "BAD_REQUEST", param: "urls.allow" }));
    },
  );

  test("may name other schemes, but never frees the web from its checks", () => {
    const open = new UrlGuard({ schemes: ["gs", "http", "HTTPS"] });
    expect(open.check("gs://bucket/cat.png").protocol).toBe("gs:");
    expect(() => open.check("http://127.0.0.1/")).toThrow(refused);
    expect(() => open.check("https://127.0.0.1/")).toThrow(refused);
  });
});
