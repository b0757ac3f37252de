// Builds every package afresh: types by the compiler, code as one file an entry with the
// parts that they share. Loading one file takes a fifth of the time that loading a hundred and seventy does.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { sharedShapes } from "./shared-shapes.mjs";

/** Whether others import a package, and so want its types. */
const packages = { antiphon: { imported: true }, gateway: { imported: true }, cli: { imported: false } };
const root = new URL("../", import.meta.url);
const compiler = fileURLToPath(new URL("node_modules/typescript/bin/tsc", root));

for (const [name, { imported }] of Object.entries(packages)) {
  const folder = new URL(`packages/${name}/`, root);
  // A stale file in `dist` would be published.
  rmSync(new URL("dist", folder), { recursive: true, force: true });
  if (imported) declareTypes(fileURLToPath(new URL("tsconfig.build.json", folder)));
  await bundle(fileURLToPath(folder), entriesOf(folder));
}

/** @param {string} project */
function declareTypes(project) {
  const { status } = spawnSync(process.execPath, [compiler, "-p", project], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/**
 * Every file of `dist` that the manifest names, by its name without an ending.
 *
 * @param {URL} folder
 */
function entriesOf(folder) {
  const manifest = readFileSync(new URL("package.json", folder), "utf8");
  const named = [...manifest.matchAll(/\.\/dist\/([\w/-]+)\.js/g)].map(([, name]) => name);
  return Object.fromEntries((named.length > 0 ? named : ["main"]).map((name) => [name, `src/${name}.ts`]));
}

/**
 * @param {string} cwd
 * @param {Record<string, string>} input
 */
async function bundle(cwd, input) {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  // What is installed beside a package is never part of it.
  const external = [/^node:/, /^#/, ...installed.map((name) => new RegExp(`^${name}(/|$)`))];
  const sources = { cwd, platform: /** @type {const} */ ("neutral"), external };
  // All that the main entry needs goes into one file, whatever else needs parts of it: each file more is time to load.
  const main = input["index"] ? "index" : "main";
  const alone = await rolldown({ ...sources, input: { [main]: input[main] ?? "" } });
  const { output } = await alone.generate({ format: "esm", chunkFileNames: "[name].js" });
  await alone.close();
  // So does what a first request, or a command that must be quick, needs beyond it, as long as it is not in an earlier file; settings
  // are apart, since not all who want them want the library.
  const quick =
    main === "main"
      ? ["config-show", "run"]
      : [
          "transport/http-respond",
          "codecs/responses/client",
          "testing/offline/index",
          "agent/agent-run",
          "conversation/exchange",
        ];
  const together = [main, ...quick].map((name) => ({ name, ids: new Set(loadedWith(name, output)) }));
  // What several of them need of the core is small, and must not make one of them load another.
  const [first, ...others] = together;
  const isShared = (/** @type {string} */ id) => id.includes("/src/core/") && others.filter(({ ids }) => ids.has(id)).length > 1;
  for (const { ids } of others) for (const id of ids) if (isShared(id)) first?.ids.add(id);
  // A program that nobody imports may export what its parts share; a library would need a second file for that.
  const signatures = main === "main" ? { preserveEntrySignatures: /** @type {const} */ ("allow-extension") } : {};
  const build = await rolldown({ ...sources, ...signatures, input, plugins: [sharedShapes] });
  await build.write({
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    // Beside the entries: code may look for files relative to its own.
    chunkFileNames: "shared-[name].js",
    // Functions and classes keep their names, for stack traces; what is private to them has short ones. Long ones, blanks and comments
    // would be almost half of what is installed, and read at every start.
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: true },
      codegen: { removeWhitespace: true, asciiOnly: true },
    },
    comments: { annotation: true, jsdoc: false, legal: true },
    // A module goes with the first group that has it.
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
 * The modules that are loaded with a source file: those of its chunk and of all that it imports, but not what waits to be asked.
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
