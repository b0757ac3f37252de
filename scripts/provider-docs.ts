import {
  baseUrlVariables,
  type Feature,
  type Preset,
  type ServerPreset,
  type Wire,
} from "../packages/antiphon/src/providers/preset.ts";
import { codecOf } from "../packages/antiphon/src/providers/codecs.ts";
import { findPreset, presets } from "../packages/antiphon/src/providers/presets/index.ts";
import { knownModels } from "../packages/antiphon/src/providers/known-models.ts";
import { probe, probes, type Outcome } from "./provider-probes.ts";

type Cell = (preset: Preset) => string;

const code = (text: string): string => `\`${text}\``;
const list = (values: readonly string[] = []): string => values.map(code).join(", ");
const ofServer =
  (cell: (preset: ServerPreset) => string): Cell =>
  (preset) =>
    preset.wire === "local" ? "" : cell(preset);

function keys(preset: ServerPreset): string {
  const key = `${list(preset.env)}${preset.keyless ? " (optional)" : ""}`;
  const headers = Object.values(preset.variables ?? {}).filter(({ header }) => header);
  return [key, ...headers.map(({ env }) => `${list(env)} (optional)`)].join("<br>");
}

function baseUrl(preset: ServerPreset): string {
  const variables = Object.entries(preset.variables ?? {}).flatMap(([name, { env, header }]) =>
    header ? [] : [`${code(`{${name}}`)}: ${list(env)}`],
  );
  return [preset.baseUrl ? code(preset.baseUrl) : "yours", ...variables, list(baseUrlVariables(preset))].join("<br>");
}

const featureNames: Readonly<Record<Feature, string>> = {
  background: "background runs",
  compact: "compaction",
  embeddings: "embeddings",
  files: "files",
  images: "images",
  mcp: "remote MCP",
  schema: "JSON schemas",
  search: "web search",
  tool_choice: "choice of tools",
  websocket: "WebSocket",
};

const columns: Readonly<Record<string, Cell>> = {
  Provider: (preset) => [code(preset.name), ...(preset.aliases ?? []).map(code)].join("<br>"),
  Wire: (preset) => (preset.wire === "local" ? "none" : preset.wire),
  "Base URL, and what replaces it": ofServer(baseUrl),
  "Key, and what goes with it": ofServer(keys),
  "Default model": (preset) => list(preset.models?.chat ? [preset.models.chat] : []),
  Has: ({ features = [], stores }) =>
    [...(stores ? ["memory"] : []), ...features.map((feature) => featureNames[feature])].join(", "),
  Note: (preset) => preset.note ?? "",
};

function table(rows: readonly (readonly string[])[], heads: readonly string[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

const providerTable = (): string =>
  table(
    presets().map((preset) => Object.values(columns).map((cell) => cell(preset))),
    Object.keys(columns),
  );

/** The preset that stands for a wire, with nothing of a vendor's own about it where that can be. */
const plainest: Readonly<Record<Wire, string>> = {
  responses: "open-responses",
  chat: "chat",
  messages: "anthropic",
  gemini: "gemini",
};

const servers = presets().filter((preset): preset is ServerPreset => preset.wire !== "local");

type Outcomes = Readonly<Record<string, Outcome>>;

function outcomesOf(preset: ServerPreset): Outcomes {
  const codec = codecOf(preset);
  return Object.fromEntries(Object.entries(probes).map(([name, request]) => [name, probe(codec, preset.models?.chat, request)]));
}

function plainOutcomes(wire: Wire): Outcomes {
  const preset = findPreset(plainest[wire]);
  if (!preset || preset.wire === "local") throw new Error(`There is no plain preset of the wire ${wire}.`);
  return outcomesOf(preset);
}

const wires: readonly Wire[] = ["responses", "chat", "messages", "gemini"];

function wireTable(): string {
  const plain = wires.map(plainOutcomes);
  const rows = Object.keys(probes).flatMap((name) => {
    const cells = plain.flatMap((outcomes) => outcomes[name] ?? []);
    if (cells.every(({ taken }) => taken === "yes")) return [];
    return [[code(name), ...cells.map(({ taken, reason }) => (taken === "refused" ? `refused: ${reason}` : reason || "yes"))]];
  });
  return table(rows, ["Asked for", ...wires.map(code)]);
}

const takenIn = (outcomes: Outcomes, name: string): Outcome["taken"] | undefined => outcomes[name]?.taken;

function lossTable(): string {
  const plain = Object.fromEntries(wires.map((wire) => [wire, plainOutcomes(wire)]));
  const rows = servers.map((preset) => {
    const usual = plain[preset.wire] ?? {};
    const own = outcomesOf(preset);
    const now = (taken: Outcome["taken"]): string =>
      list(Object.keys(probes).filter((name) => takenIn(own, name) === taken && takenIn(usual, name) !== taken));
    return [code(preset.name), now("refused"), now("not wholly"), now("yes")];
  });
  const told = rows.filter((cells) => cells.slice(1).some(Boolean));
  return table(told, ["Provider", "Refused too", "Left out or said otherwise too", "Taken after all"]);
}

const count = (tokens: number | undefined): string => tokens?.toLocaleString("en-GB").replaceAll(",", " ") ?? "";
const said = (fact: boolean | undefined): string => (fact === undefined ? "" : fact ? "yes" : "no");

const modelTable = (): string =>
  table(
    knownModels().map((model) => [
      code(model.id),
      model.provider,
      model.kind,
      count(model.contextWindow),
      count(model.maxOutput),
      (model.input ?? []).join(", "),
      said(model.reasoning),
      model.speed ?? "",
      model.cost ?? "",
    ]),
    ["Model", "Provider", "Kind", "Context", "Output", "Takes", "Thinks", "Speed", "Cost"],
  );

const sections: Readonly<Record<string, () => string>> = {
  providers: providerTable,
  wires: wireTable,
  losses: lossTable,
  models: modelTable,
};

/** The same page with its tables written anew; the prose around them is left as it is. */
export const updateProviderDocs = (page: string): string =>
  page.replaceAll(/(<!-- begin (\w+) -->\n)[^]*?(<!-- end \2 -->)/g, (whole, begin: string, name: string, end: string) => {
    const section = sections[name];
    return section ? `${begin}${section()}\n${end}` : whole;
  });
