/** What a client installs: its own files and those of everything it depends on, as the lockfile resolves it. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const lockOf = (folder) => JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")).packages;

/** Where `name` is found from `from`: in its own `node_modules`, else in those of the folders above. */
function resolve(lock, from, name) {
  const folders = from.split("/");
  for (let depth = folders.length; depth >= 0; depth--) {
    const path = [...folders.slice(0, depth), "node_modules", name].join("/");
    if (lock[path]) return path;
  }
  return undefined;
}

function needsOf({ dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/**
 * Paths of all that the entries need, the entries themselves among them. Copies of one version count once: they are there because
 * another peer claimed the shared place, and installed alone there would be one.
 */
function closure(lock, entries) {
  const found = new Set(entries);
  for (const path of found)
    for (const name of needsOf(lock[path])) {
      const needed = resolve(lock, path, name);
      if (needed) found.add(needed);
    }
  const identity = (path) => `${path.slice(path.lastIndexOf("node_modules/"))}@${lock[path].version}`;
  return [...new Map([...found].map((path) => [identity(path), path])).values()];
}

// The bytes of the files themselves, as npm counts an unpacked package: how large blocks are is the file system's affair.
const bytesOf = (file) => statSync(file).size;

/** What one package takes, without the packages nested in it. */
function bytesIn(folder) {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += entry.name === "node_modules" ? 0 : bytesIn(path);
    else if (entry.isFile()) bytes += bytesOf(path);
  }
  return bytes;
}

const sizeOf = (folder, paths) => paths.reduce((sum, path) => sum + bytesIn(join(folder, path)), 0);

/** @param {string[]} names of packages that `bench/` depends on */
export function peerSize(names) {
  const lock = lockOf(here);
  const entries = names.map((name) => `node_modules/${name}`);
  const paths = closure(lock, entries).filter((path) => existsSync(join(here, path)));
  return { bytes: sizeOf(here, paths), packages: paths.length, version: entries.map((path) => lock[path].version).join(" + ") };
}

/** Our own package as it would be published, and what it depends on. */
export function ownSize() {
  const folder = join(root, "packages/antiphon");
  const pack = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: folder, encoding: "utf8" });
  if (pack.status !== 0) throw new Error(`npm pack failed: ${pack.stderr}`);
  const [{ files, version }] = JSON.parse(pack.stdout);
  const own = files.reduce((sum, { path }) => sum + bytesOf(join(folder, path)), 0);
  const lock = lockOf(root);
  const needed = needsOf(lock["packages/antiphon"]).map((name) => resolve(lock, "packages/antiphon", name));
  const paths = closure(lock, needed.filter(Boolean));
  return { bytes: own + sizeOf(root, paths), packages: 1 + paths.length, version };
}
