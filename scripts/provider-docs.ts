import {
  baseUrlVariables,
  type Feature,
  type Preset,
  type ServerPreset,
  type Wire,
} from "../packages/antiphon/src/providers/preset.ts";
import { codecOf } from "../packages/antiphon/src/providers/codecs.ts";
import { findPreset, presets } from "../packages/antiphon/src/providers/presets/index.ts";
import { knownModels, type KnownModel } from "../packages/antiphon/src/providers/known-models.ts";
import { inputProbes, probe, probes, type Outcome } from "./provider-probes.ts";

const code = (text: string): string => `\`${text}\``;
const lines = (...cells: readonly string[]): string => cells.filter(Boolean).join("<br>");

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

const servers = presets().filter((preset): preset is ServerPreset => preset.wire !== "local");

/** Features that most providers have. The table lists the providers that lack them. */
const commonFeatures: readonly Feature[] = ["images", "schema", "tool_choice"];

function capabilities({ features = [], stores }: Preset): string {
  const extra = features.filter((feature) => !commonFeatures.includes(feature));
  const missing = commonFeatures.filter((feature) => !features.includes(feature)).map((feature) => `no ${feature}`);
  return [...(stores ? ["state"] : []), ...extra, ...missing].join(", ");
}

function baseUrl(preset: ServerPreset): string {
  const variables = Object.entries(preset.variables ?? {}).filter(([, { header }]) => !header);
  return lines(
    preset.baseUrl ? code(preset.baseUrl) : "",
    ...variables.map(([name, { env }]) => `${code(`{${name}}`)}: ${env.map(code).join(", ")}`),
    ...baseUrlVariables(preset).map(code),
  );
}

function keys(preset: ServerPreset): string {
  const headers = Object.values(preset.variables ?? {}).filter(({ header }) => header);
  return lines(
    `${lines(...(preset.env ?? []).map(code))}${preset.keyless ? " (optional)" : ""}`,
    ...headers.map(({ env }) => `${lines(...env.map(code))} (optional)`),
  );
}

/** The providers, followed by the notes on them. */
function providerSection(): string {
  const rows = presets().map((preset) => [
    code(preset.name),
    (preset.aliases ?? []).map(code).join(", "),
    preset.wire === "local" ? "" : preset.wire,
    preset.wire === "local" ? "" : baseUrl(preset),
    preset.wire === "local" ? "" : keys(preset),
    preset.models?.chat ? code(preset.models.chat) : "",
    capabilities(preset),
  ]);
  const heads = ["provider", "aliases", "API", "base URL and its variables", "key variables", "default model", "capabilities"];
  const byNote = new Map<string, string[]>();
  for (const { name, note } of presets()) if (note) byNote.set(note, [...(byNote.get(note) ?? []), code(name)]);
  const notes = [...byNote].map(([note, names]) => `- ${names.join(", ")}: ${note}`);
  return [table(heads, rows), "", ...notes].join("\n");
}

const wires: readonly Wire[] = ["responses", "chat", "messages", "gemini"];

/** The preset that represents an API, without features of one vendor if possible. */
const plainest: Readonly<Record<Wire, string>> = {
  responses: "open-responses",
  chat: "chat",
  messages: "anthropic",
  gemini: "gemini",
};

type Outcomes = Readonly<Record<string, Outcome>>;

function outcomesOf(preset: ServerPreset): Outcomes {
  const codec = codecOf(preset);
  return Object.fromEntries(Object.entries(probes).map(([name, request]) => [name, probe(codec, preset.models?.chat, request)]));
}

function plainOutcomes(wire: Wire): Outcomes {
  const preset = findPreset(plainest[wire]);
  if (!preset || preset.wire === "local") throw new Error(`No preset represents the API ${wire}.`);
  return outcomesOf(preset);
}

/** What each API does with each field. Neighbours with the same cells share a row; empty cells are supported fields. */
function wireTable(): string {
  const plain = wires.map(plainOutcomes);
  const rows: { names: string[]; cells: string[] }[] = [];
  for (const name of Object.keys(probes)) {
    const cells = plain.map((outcomes) => (outcomes[name] === "supported" ? "" : (outcomes[name] ?? "")));
    const last = rows.at(-1);
    if (last && last.cells.join() === cells.join()) last.names.push(name);
    else rows.push({ names: [name], cells });
  }
  const shown = rows.filter(({ cells }) => cells.some(Boolean));
  return table(
    ["field", ...wires.map(code)],
    shown.map(({ names, cells }) => [grouped(names), ...cells]),
  );
}

/** Names of fields are code, descriptions of items and parts are text. */
const label = (name: string): string => (Object.hasOwn(inputProbes, name) ? name : code(name));

/** How each server differs from the plainest one with its API. */
function lossTable(): string {
  const plain = Object.fromEntries(wires.map((wire) => [wire, plainOutcomes(wire)]));
  const rows = servers.map((preset) => {
    const outcomes = outcomesOf(preset);
    const changedTo = (outcome: Outcome): string =>
      grouped(Object.keys(probes).filter((name) => outcomes[name] === outcome && plain[preset.wire]?.[name] !== outcome));
    return [code(preset.name), changedTo("error"), changedTo("loss"), changedTo("supported")];
  });
  return table(
    ["provider", "error", "loss", "supported"],
    rows.filter((cells) => cells.slice(1).some(Boolean)),
  );
}

/** Joins names, and writes a field with several values once: `tools: custom/mcp`. */
function grouped(names: readonly string[]): string {
  const values = new Map<string, string[]>();
  for (const name of names) {
    const [field = "", ...value] = name.split(": ");
    values.set(field, [...(values.get(field) ?? []), ...value]);
  }
  return [...values].map(([field, all]) => label(all.length > 0 ? `${field}: ${all.join("/")}` : field)).join(", ");
}

const count = (tokens: number | undefined): string => tokens?.toLocaleString("en-GB") ?? "";

/** The known models. Models with the same facts share a row. */
function modelTable(): string {
  const rows = new Map<string, { ids: string[]; facts: string[] }>();
  for (const model of knownModels()) {
    const facts = factsOf(model);
    const row = rows.get(facts.join("|")) ?? { ids: [], facts };
    row.ids.push(code(model.id));
    rows.set(facts.join("|"), row);
  }
  return table(
    ["models", "provider", "context", "output", "input", "reasoning"],
    [...rows.values()].map(({ ids, facts }) => [ids.join(", "), ...facts]),
  );
}

const factsOf = ({ provider, kind, contextWindow, maxOutput, input = [], reasoning }: KnownModel): string[] => [
  kind === "chat" ? provider : `${provider}, ${kind}`,
  count(contextWindow),
  count(maxOutput),
  input.filter((modality) => modality !== "text").join(", "),
  reasoning === undefined ? "" : reasoning ? "yes" : "no",
];

const sections: Readonly<Record<string, () => string>> = {
  providers: providerSection,
  wires: wireTable,
  losses: lossTable,
  models: modelTable,
};

/** Returns the page with its generated sections updated and the prose unchanged. */
export const updateProviderDocs = (page: string): string =>
  page.replaceAll(/(<!-- begin (\w+) -->\n)[^]*?(<!-- end \2 -->)/g, (whole, begin: string, name: string, end: string) => {
    const section = sections[name];
    return section ? `${begin}\n${section()}\n\n${end}` : whole;
  });
