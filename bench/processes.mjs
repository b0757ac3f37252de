/** Child processes: the upstream on one core, the row that is measured on another, where the machine lets us choose. */
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));

// Nothing of the caller's environment may reach a client (keys, base URLs, proxies), and no client may report home.
const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: "production",
  NODE_NO_WARNINGS: "1",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  LANGSMITH_TRACING: "false",
  LANGCHAIN_TRACING_V2: "false",
};

/** The cores that this process may use, or none where `taskset` is missing. */
function allowedCores() {
  const { status, stdout } = spawnSync("taskset", ["-cp", String(process.pid)], { encoding: "utf8" });
  if (status !== 0) return [];
  const list = stdout.slice(stdout.lastIndexOf(":") + 1).trim();
  return list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

const cores = allowedCores();
export const pinned = cores.length >= 2;
const [serverCore, clientCore] = cores;

function start(script, args, core) {
  const command = pinned ? ["taskset", "-c", String(core), process.execPath] : [process.execPath];
  return spawn(command[0], [...command.slice(1), fileOf(script), ...args], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

/** The next message, or a rejection when the process ends without one or takes longer than `limitMs`. */
function reply(child, what, limitMs) {
  return new Promise((resolve, reject) => {
    const fail = (reason) => {
      child.kill("SIGKILL");
      reject(new Error(`${what} ${reason}`));
    };
    const timer = setTimeout(() => fail(`gave no answer in ${limitMs / 1000} s`), limitMs);
    const onExit = (code, signal) => fail(`ended with ${signal ?? code}`);
    child.once("exit", onExit);
    child.once("message", (message) => {
      clearTimeout(timer);
      child.off("exit", onExit);
      resolve(message);
    });
  });
}

/** Starts the upstream; `prepare` builds the answers to scenarios and tells how long they are. */
export async function startUpstream() {
  const child = start("mock-upstream.mjs", [], serverCore);
  const { port } = await reply(child, "The upstream", 10_000);
  return {
    origin: `http://127.0.0.1:${port}`,
    async prepare(scenarios) {
      child.send(scenarios);
      return (await reply(child, "The upstream", 60_000)).prepared;
    },
    stop: () => child.disconnect(),
  };
}

/** Measures one row in a process of its own. */
export async function measureRow(rowId, work, limitMs) {
  const child = start("worker.mjs", [rowId], clientCore);
  await reply(child, rowId, 30_000);
  child.send(work);
  const report = await reply(child, rowId, limitMs);
  if (report.error) throw new Error(`${rowId}: ${report.error}`);
  return report;
}
