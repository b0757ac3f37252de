import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { written } from "./config/check.ts";
import { placesOf } from "./config/files.ts";
import type { Settings } from "./config/load.ts";
import { scalars, variableOf } from "./config/schema.ts";
import type { Untrusted } from "./config/trust.ts";
import type { Finding } from "./doctor-finding.ts";
import { gatewayStore } from "./gateway-store.ts";
import { suggestion } from "./nearest.ts";
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

/** What the terminal can do; nothing here keeps anything from working. */
export function checkTerminal(): Finding[] {
  const { stdout, env } = process;
  if (!stdout.isTTY) return [{ check: "terminal", state: "good", says: "none: output goes to a pipe or a file" }];
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  const hasUnicode = /utf-?8/i.test(locale) || process.platform === "win32" || process.platform === "darwin";
  const says = [
    `${stdout.columns} × ${stdout.rows}`,
    mayColour(stdout, env) ? "colours" : "no colours",
    hasUnicode ? "Unicode" : "perhaps no Unicode",
  ];
  const fix = hasUnicode ? undefined : "set LANG to a UTF-8 locale, such as C.UTF-8";
  return [{ check: "terminal", state: hasUnicode ? "good" : "unsure", says: says.join(", "), ...(fix && { fix }) }];
}

/** Variables of this program's that are no settings. */
const otherVariables = ["ANTIPHON_CONFIG", "ANTIPHON_KEY", "ANTIPHON_SOAK"];

/** The files that are read, what they name and is not set, and whether others can read keys in them. */
export function checkFiles({ unset, untrusted }: Settings): Finding[] {
  const check = "configuration";
  const files = placesOf(process.env, process.cwd()).filter(({ path }) => existsSync(path));
  const found = files.length === 0 ? "no file; `antiphon config init` writes one" : files.map(({ path }) => path).join(", ");
  const shared = files.filter(({ path }) => holdsKey.test(readFileSync(path, "utf8")) && (statSync(path).mode & forOthers) !== 0);
  return [
    { check, state: "good", says: found },
    ...(untrusted ? [untrustedFinding(untrusted)] : []),
    ...unset.map(({ path, variable, where }): Finding => {
      const says = `${where}: ${written(path)} names \${${variable}}, which is not set`;
      return { check, state: "unsure", says, fix: `export ${variable}=…` };
    }),
    ...shared.map(({ path }): Finding => {
      return {
        check,
        state: "unsure",
        says: `${path} holds a key, and others on this machine can read it`,
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

/** A key itself, and not the variable that holds it. */
const holdsKey = /^\s*api_key\s*=\s*["'](?!\$\{)/m;
const forOthers = 0o077;

/** Variables that look like settings and are none. */
export function checkVariables(): Finding[] {
  const known = [...[...scalars()].map(({ path }) => variableOf(path)), ...otherVariables];
  const strange = Object.keys(process.env).filter((name) => name.startsWith("ANTIPHON_") && !known.includes(name));
  return strange.map((name) => ({
    check: "configuration",
    state: "unsure",
    says: `${name} sets nothing${suggestion(name, known)}`,
  }));
}

/** Whether what is to be kept can be written down. */
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
    // With the slash, a file in the folder's place is told apart.
    accessSync(`${place}/`, constants.W_OK);
    return { check, state: "good", says: place === folder ? folder : `${folder} (made when it is needed)` };
  } catch {
    return {
      check,
      state: "wrong",
      says: `${place} cannot be written to`,
      fix: `make it yours, or set XDG_DATA_HOME`,
      kind: "config",
    };
  }
}
