import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** A folder of the user's by the rules of XDG: its variable, where that holds an absolute path, or else the usual place. */
function folderOf(env: Environment, variable: string, usual: string): string {
  const named = env[variable];
  return join(named && isAbsolute(named) ? named : join(env["HOME"] || homedir(), usual), "antiphon");
}

/** Where the user's own settings are. */
export const configFolder = (env: Environment = process.env): string => folderOf(env, "XDG_CONFIG_HOME", ".config");

/** Where what is remembered from one run to the next is kept. */
export const stateFolder = (env: Environment = process.env): string => folderOf(env, "XDG_STATE_HOME", ".local/state");

/** Where what is to stay is kept. */
export const dataFolder = (env: Environment = process.env): string => folderOf(env, "XDG_DATA_HOME", ".local/share");
