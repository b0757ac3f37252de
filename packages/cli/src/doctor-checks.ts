import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { written } from "./config/check.ts";
import { placesOf } from "./config/files.ts";
import type { Settings } from "./config/load.ts";
import type { Untrusted } from "./config/trust.ts";
import { misspeltVariables } from "./config/variables.ts";
import type { Finding } from "./doctor-finding.ts";
import { gatewayStore } from "./gateway-store.ts";
import { configFolder } from "./places.ts";
import { sessionsFolder } from "./sessions-folder.ts";
import { mayColour } from "./view.ts";

const leastNode = 20;

export function checkMachine(): Finding[] {
  const { node } = process.versions;
  const isNew = Number(node.split(".")[0]) >= leastNode;
  const about = `Node ${node} on ${process.platform} ${process.arch}`;
  if (isNew) return [{ check: "node", state: "good", says: about }];
  return [{ check: "node", state: "wrong", says: `${about} is too old`, fix: `install Node ${leastNode} or newer` }];
}

/** The abilities of the terminal. Problems here are never errors. */
export function checkTerminal(): Finding[] {
  const { stdout, env } = process;
  if (!stdout.isTTY) return [{ check: "terminal", state: "good", says: "not a terminal: output goes to a pipe or a file" }];
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const hasUnicode = /utf-?8/i.test(locale) || process.platform === "win32" || process.platform === "darwin";
  const says = [
    `${stdout.columns} × ${stdout.rows}`,
    mayColour(stdout, env) ? "colours" : "no colours",
    hasUnicode ? "Unicode" : "Unicode may not work",
  ];
  const fix = hasUnicode ? undefined : "set LANG to a UTF-8 locale, such as C.UTF-8";
  return [{ check: "terminal", state: hasUnicode ? "good" : "unsure", says: says.join(", "), ...(fix && { fix }) }];
}

/** The configuration files, unset variables that they use, and keys that other users can read. */
export function checkFiles({ unset, untrusted }: Settings): Finding[] {
  const check = "configuration";
  const files = placesOf(process.env, process.cwd()).filter(({ path }) => existsSync(path));
  const found =
    files.length === 0 ? "no configuration file; `antiphon config init` creates one" : files.map(({ path }) => path).join(", ");
  const shared = files.filter(({ path }) => holdsKey.test(readFileSync(path, "utf8")) && (statSync(path).mode & forOthers) !== 0);
  return [
    { check, state: "good", says: found },
    ...(untrusted ? [untrustedFinding(untrusted)] : []),
    ...unset.map(({ path, variable, where }): Finding => {
      const says = `${where}: ${written(path)} uses \${${variable}}, which is not set`;
      return { check, state: "unsure", says, fix: `export ${variable}=…` };
    }),
    ...shared.map(({ path }): Finding => {
      return {
        check,
        state: "unsure",
        says: `${path} contains a key and is readable by other users`,
        fix: `chmod 600 ${path}`,
      };
    }),
  ];
}

const untrustedFinding = ({ file, reason, ignored }: Untrusted): Finding => ({
  check: "configuration",
  state: "unsure",
  says: `${file} ${reason}; ignored: ${ignored.map(written).join(", ")}`,
  fix: "read it, then run: antiphon config trust",
});

/** A literal key, not a reference to a variable. */
const holdsKey = /^\s*api_key\s*=\s*["'](?!\$\{)/m;
const forOthers = 0o077;

/** `ANTIPHON_…` variables that are not configuration keys. */
export function checkVariables(): Finding[] {
  return misspeltVariables(process.env).map(({ name, meant }) => ({
    check: "configuration",
    state: "unsure",
    says: `${name} has no effect${meant === undefined ? "" : `; did you mean ${meant}?`}`,
  }));
}

/** Whether the data folders are writable. */
export function checkFolders(settings: Settings): Finding[] {
  const store = gatewayStore(settings);
  const isFile = !/^[a-z]+:\/\//.test(store) && store !== "memory";
  return [
    folderFinding("conversations", sessionsFolder()),
    ...(isFile ? [folderFinding("gateway store", dirname(store))] : []),
    folderFinding("settings", configFolder()),
  ];
}

function folderFinding(check: string, folder: string): Finding {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  try {
    // The slash makes a file in place of the folder an error.
    accessSync(`${place}/`, constants.W_OK);
    return { check, state: "good", says: place === folder ? folder : `${folder} (created when needed)` };
  } catch {
    return {
      check,
      state: "wrong",
      says: `${place} is not writable`,
      fix: "change its permissions, or set XDG_DATA_HOME",
      kind: "config",
    };
  }
}
