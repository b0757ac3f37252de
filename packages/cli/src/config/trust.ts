import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { toolNames } from "../commands.ts";
import { stateFolder } from "../places.ts";
import { isTable, written, type Path, type Table } from "./check.ts";
import { namesVariable } from "./expand.ts";
import { schema } from "./schema.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The ignored settings of an untrusted file, and why they are ignored. */
export interface Untrusted {
  file: string;
  reason: "is not trusted" | "has changed since it was trusted";
  ignored: readonly Path[];
}

/**
 * Keys that an untrusted file may set: none of them starts a program, opens a port or sends a secret anywhere. All other keys need
 * trust, including keys added later.
 */
const harmless: ReadonlySet<string> = new Set([
  "provider",
  "model",
  "embedding_model",
  "media_model",
  "instructions",
  "effort",
  "verbosity",
  "temperature",
  "max_tokens",
  "max_steps",
  "timeout",
  "connect_timeout",
  "first_event_timeout",
  "idle_timeout",
  "parallel_tool_calls",
  "store",
  "context_budget",
  "summarize_threshold",
  "min_recent_messages",
  "prices",
]);
const harmlessOfProvider: ReadonlySet<string> = new Set(["model", "embedding_model", "media_model"]);

/** The settings of a file that need trust. Unknown keys are left to the check. */
export function riskyPaths(table: Table): Path[] {
  return Object.entries(table).flatMap(([name, value]): Path[] => {
    if (!Object.hasOwn(schema, name)) return [];
    if (name === "providers") return below(value, [name]).flatMap((path) => riskyOfProvider(valueIn(value, path), path));
    if (name === "presets" || name === "mcp") return below(value, [name]);
    const isSafe = name === "tools" ? hasOnlyBuiltIn(value) : harmless.has(name);
    return isSafe && !hasVariable(value) ? [] : [[name]];
  });
}

const below = (value: unknown, path: Path): Path[] => (isTable(value) ? Object.keys(value).map((name) => [...path, name]) : []);

const valueIn = (table: unknown, path: Path): unknown => (isTable(table) ? table[path.at(-1) ?? ""] : undefined);

const riskyOfProvider = (provider: unknown, path: Path): Path[] =>
  below(provider, path).filter((here) => !harmlessOfProvider.has(here.at(-1) ?? "") || hasVariable(valueIn(provider, here)));

/** A project file cannot start the MCP servers of the user. */
const hasOnlyBuiltIn = (value: unknown): boolean =>
  Array.isArray(value) && value.every((name) => toolNames.some((one) => one === name));

function hasVariable(value: unknown): boolean {
  if (typeof value === "string") return namesVariable(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasVariable);
}

/** A copy of a table without some paths. */
export function without(table: Table, paths: readonly Path[]): Table {
  const kept = Object.entries(table).flatMap(([name, value]) => {
    const here = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (here.some((rest) => rest.length === 0)) return [];
    return [[name, here.length > 0 && isTable(value) ? without(value, here) : value] as const];
  });
  return Object.fromEntries(kept);
}

/** The untrusted settings of a file, if any. `content` is the text that was parsed, not the text on disk by now. */
export function untrustedParts(path: string, content: string, table: Table, env: Environment): Untrusted | undefined {
  const ignored = riskyPaths(table);
  if (ignored.length === 0) return undefined;
  const known = trusted(env)[realPath(path)];
  if (known === hashOf(content)) return undefined;
  return { file: path, reason: known === undefined ? "is not trusted" : "has changed since it was trusted", ignored };
}

/** The warning about an untrusted file. */
export const warningOf = ({ file, reason, ignored }: Untrusted): string =>
  `${file} ${reason}; ignoring ${ignored.map(written).join(", ")}. To use ${ignored.length === 1 ? "it" : "them"}, read the file and run: antiphon config trust`;

/** Trusts a file until its content changes. */
export const trust = (path: string, content: string, env: Environment): void =>
  save({ ...trusted(env), [realPath(path)]: hashOf(content) }, env);

/** Stops trusting a file. Returns whether it was trusted. */
export function untrust(path: string, env: Environment): boolean {
  const { [realPath(path)]: known, ...others } = trusted(env);
  if (known !== undefined) save(others, env);
  return known !== undefined;
}

/** The hashes of trusted files, by their paths. */
type Hashes = Readonly<Record<string, unknown>>;

const placeOf = (env: Environment): string => join(stateFolder(env), "trusted.json");

/** If the list cannot be read, no file is trusted. */
function trusted(env: Environment): Hashes {
  try {
    const hashes: unknown = JSON.parse(readFileSync(placeOf(env), "utf8"));
    return isTable(hashes) ? hashes : {};
  } catch {
    return {};
  }
}

function save(hashes: Hashes, env: Environment): void {
  const place = placeOf(env);
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  const draft = `${place}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(hashes, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, place);
}

const hashOf = (content: string): string => createHash("sha256").update(content).digest("hex");

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
