import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError } from "../options.ts";
import { configFolder } from "../places.ts";
import { isTable, type Table } from "./check.ts";
import { expandTable, type Unset } from "./expand.ts";
import type { Layer } from "./layers.ts";
import type { Untrusted } from "./trust.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A configuration file. */
export interface Place {
  path: string;
  role: "user" | "project" | "named";
}

/** The configuration files, lowest priority first. A project file named explicitly is trusted. */
export function placesOf(env: Environment, cwd: string, named?: string): Place[] {
  const extra = named ?? (env["ANTIPHON_CONFIG"] || undefined);
  const places: Place[] = [
    { path: join(configFolder(env), "config.toml"), role: "user" },
    { path: join(cwd, "antiphon.toml"), role: "project" },
  ];
  if (extra === undefined) return places;
  const path = resolve(cwd, extra);
  return [...places.filter((place) => place.path !== path), { path, role: "named" }];
}

/** The settings of a file, with references to unset variables and untrusted settings. */
export interface FileLayer extends Layer {
  path: string;
  unset: readonly Unset[];
  untrusted?: Untrusted;
}

/** Reads a file. Returns `undefined` if it does not exist, unless it was named explicitly. */
export async function readLayer({ path, role }: Place, env: Environment): Promise<FileLayer | undefined> {
  const toml = readText(path, role === "named");
  if (toml === undefined) return undefined;
  const table = await parseToml(toml, path);
  const { values, unset } = expandTable(table, env);
  const untrusted = role === "project" ? (await import("./trust.ts")).untrustedParts(path, toml, table, env) : undefined;
  // Most runs never need line numbers.
  let positions: ((place: readonly string[]) => number | undefined) | undefined;
  const { positionsOf } = await import("./positions.ts");
  const where = (place: readonly string[]): string => {
    positions ??= positionsOf(toml);
    let line: number | undefined;
    for (let depth = place.length; depth > 0 && line === undefined; depth -= 1) line = positions(place.slice(0, depth));
    return line === undefined ? path : `${path}:${line}`;
  };
  return { kind: "file", path, values, unset, where, ...(untrusted && { untrusted }) };
}

/** Reads the text of a file. Returns `undefined` if it does not exist and need not. */
export function readText(path: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (!mustExist && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new ConfigError(`${path}: ${code === "ENOENT" ? "no such file" : `cannot read the file (${String(code)})`}`);
  }
}

/** Parses TOML. Errors name the file and line. */
export async function parseToml(toml: string, path: string): Promise<Table> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    const table: unknown = parse(toml, { unsafeKeyBehaviour: "throw" });
    return isTable(table) ? table : {};
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message = ""] = error.message.split("\n");
    throw new ConfigError(`${path}:${error.line}: ${message.replace(/^Invalid TOML document: /, "")} (column ${error.column})`);
  }
}
