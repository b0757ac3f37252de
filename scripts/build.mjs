// Builds `dist` of every package: types from the compiler, and one bundled file per entry with the parts that entries share. The output
// is not minified, so that stack traces and the source lines that Node prints are readable. See docs/decisions/009-bundled-entries.md.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** `imported` packages have type declarations. */
const packages = { antiphon: { imported: true }, gateway: { imported: true }, cli: { imported: false } };
const root = new URL("../", import.meta.url);
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));

for (const [name, { imported }] of Object.entries(packages)) {
  const folder = fileURLToPath(new URL(`packages/${name}/`, root));
  // npm publishes every file in `dist`, stale ones too.
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  if (imported) {
    declareTypes(join(folder, "tsconfig.build.json"));
    removeInternalTypes(folder);
  }
  await bundle(folder, entriesOf(folder));
}

/** @param {string} project */
function declareTypes(project) {
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Deletes the declarations that no entry reaches, more than half of them: `tsc` writes one for every source file.
 *
 * @param {string} folder
 */
function removeInternalTypes(folder) {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const reached = new Set([...manifest.matchAll(/\.\/dist\/[\w/-]+\.d\.ts/g)].map(([file]) => join(folder, file)));
  for (const file of reached)
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
      reached.add(resolve(file, "..", `${path}.d.ts`));
  for (const file of readdirSync(join(folder, "dist"), { encoding: "utf8", recursive: true })) {
    const path = join(folder, "dist", file);
    if (file.endsWith(".d.ts") && !reached.has(path)) rmSync(path);
  }
}

/**
 * The entries that the manifest names in `dist`, each with its source file.
 *
 * @param {string} folder
 */
function entriesOf(folder) {
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const named = [...manifest.matchAll(/\.\/dist\/([\w/-]+)\.js/g)].map(([, name]) => name);
  return Object.fromEntries((named.length > 0 ? named : ["main"]).map((name) => [name, `src/${name}.ts`]));
}

/**
 * Bundles a package: one file per entry, one for what the main entry needs, and one for each further part that entries share.
 *
 * @param {string} cwd
 * @param {Record<string, string>} input
 */
async function bundle(cwd, input) {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const external = [/^node:/, /^#/, ...installed.map((name) => new RegExp(`^${name}(/|$)`))];
  const sources = { cwd, platform: /** @type {const} */ ("neutral"), external };
  // Every file takes time to load, so the modules that the main entry imports go into one file, even if other entries share some.
  const main = input["index"] ? "index" : "main";
  const alone = await rolldown({ ...sources, input: { [main]: input[main] ?? "" } });
  const { output } = await alone.generate({ format: "esm", chunkFileNames: "[name].js" });
  await alone.close();
  // The same applies to the modules that a first request or a quick command loads later. The CLI's settings are a separate file,
  // because commands that only read settings do not need the library.
  const loadedLater =
    main === "main"
      ? ["config-show", "run"]
      : [
          "transport/http-respond",
          "codecs/responses/client",
          "testing/offline/index",
          "agent/agent-run",
          "conversation/exchange",
        ];
  const together = [main, ...loadedLater].map((name) => ({ name, ids: new Set(loadedWith(name, output)) }));
  // Small modules of the core that several of these files need go into the main file, so that these files do not load each other.
  const [first, ...others] = together;
  const isShared = (/** @type {string} */ id) => id.includes("/src/core/") && others.filter(({ ids }) => ids.has(id)).length > 1;
  for (const { ids } of others) for (const id of ids) if (isShared(id)) first?.ids.add(id);
  // Nobody imports the CLI, so its entry may export what its parts share. A library would need another file for that.
  const signatures = main === "main" ? { preserveEntrySignatures: /** @type {const} */ ("allow-extension") } : {};
  const build = await rolldown({ ...sources, ...signatures, input });
  await build.write({
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // In the same folder as the main entry, because code may look for files relative to itself.
    chunkFileNames: "shared-[name].js",
    minifyInternalExports: false,
    // With `sourcesContent`, because the sources are not published. Comments are there and in the declarations.
    sourcemap: true,
    comments: { annotation: true, jsdoc: false, legal: true },
    // A module goes into the first group that contains it.
    codeSplitting: {
      groups: together.map(({ name, ids }, index) => ({
        name: name === main ? "main" : name.replaceAll("/", "-"),
        priority: together.length - index,
        test: (id) => ids.has(id),
      })),
    },
  });
  await build.close();
}

/**
 * Returns the modules that are loaded with a source file: those of its chunk and of its static imports, but not of dynamic ones.
 *
 * @param {string} name
 * @param {readonly import("rolldown").RolldownOutput["output"][number][]} output
 */
function loadedWith(name, output) {
  const chunks = output.filter((file) => file.type === "chunk");
  const seen = new Set(chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${name}.ts`)));
  for (const { imports } of seen) for (const chunk of chunks) if (imports.includes(chunk.fileName)) seen.add(chunk);
  return [...seen].flatMap(({ moduleIds }) => moduleIds);
}
