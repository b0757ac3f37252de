import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./support/sources.ts";

interface Locked {
  version?: string;
  resolved?: string;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  dependencies?: Record<string, string>;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), "utf8")) as T;
const { packages } = read<{ packages: Record<string, Locked> }>("package-lock.json");

test("versions are exact", () => {
  const manifests = [
    "package.json",
    "packages/antiphon/package.json",
    "packages/cli/package.json",
    "packages/gateway/package.json",
  ].map((path) => read<Locked>(path));
  const wanted = manifests.flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-beta\.\d+)?$/.test(version))).toEqual([]);
});

const lockfiles = [
  "package-lock.json",
  "bench/package-lock.json",
  "bench/gateway/peers/package-lock.json",
  "test/clients/package-lock.json",
  "test/clients/codex/package-lock.json",
  "test/runtimes/package-lock.json",
];

test.each(lockfiles)("%s names no registry", (path) => {
  const locked = Object.values(read<{ packages: Record<string, Locked> }>(path).packages);
  const urls = locked.flatMap(({ resolved }) => resolved ?? []);
  expect(urls.filter((url) => /^[a-z+]+:/.test(url))).toEqual([]);
});

// npm leaves out what it could not find, and `npm ci` then refuses the file. Regenerate it in an empty folder, from the manifests alone.
test("binaries of every platform are locked", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});
