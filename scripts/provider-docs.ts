import { baseUrlVariables, type Preset, type ServerPreset } from "../packages/antiphon/src/providers/preset.ts";
import { presets } from "../packages/antiphon/src/providers/presets/index.ts";
import { knownModels } from "../packages/antiphon/src/providers/known-models.ts";

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

function leavesOut({ dialect = {} }: ServerPreset): string {
  const parts = [
    list([...(dialect.drops ?? []), ...(dialect.dropsIncludes ?? [])]),
    dialect.toolTypes ? `tools but ${list(dialect.toolTypes)}` : "",
    dialect.itemTypes ? `items but ${list(dialect.itemTypes)}` : "",
    (dialect.reasoning ?? "any") === "any" ? "" : "reasoning without text",
  ];
  return parts.filter(Boolean).join("; ") || "nothing";
}

const refuses = ({ dialect = {} }: ServerPreset): string => list(dialect.refuses) || "nothing";

const columns: Readonly<Record<string, Cell>> = {
  Provider: (preset) => [code(preset.name), ...(preset.aliases ?? []).map(code)].join("<br>"),
  "Base URL, and what replaces it": ofServer(baseUrl),
  "Key, and what goes with it": ofServer(keys),
  Wire: (preset) => (preset.wire === "local" ? "none" : preset.wire),
  "Default model": (preset) => list(preset.models?.chat ? [preset.models.chat] : []),
  Stores: (preset) => (preset.stores ? "yes" : "no"),
  Refused: ofServer(refuses),
  "Left out of requests": ofServer(leavesOut),
  Note: (preset) => preset.note ?? "",
};

function table(rows: readonly (readonly string[])[], heads: readonly string[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)].join("\n");
}

const providerTable = (): string =>
  table(
    presets.map((preset) => Object.values(columns).map((cell) => cell(preset))),
    Object.keys(columns),
  );

const count = (tokens: number | undefined): string => tokens?.toLocaleString("en-GB").replaceAll(",", " ") ?? "";

const modelTable = (): string =>
  table(
    knownModels.map((model) => [
      code(model.id),
      model.provider,
      model.kind,
      count(model.contextWindow),
      count(model.maxOutput),
      (model.input ?? []).join(", "),
      model.speed ?? "",
      model.cost ?? "",
    ]),
    ["Model", "Provider", "Kind", "Context", "Output", "Takes", "Speed", "Cost"],
  );

const sections: Readonly<Record<string, () => string>> = { providers: providerTable, models: modelTable };

/** The same page with its tables written anew; the prose around them is left as it is. */
export const updateProviderDocs = (page: string): string =>
  page.replaceAll(/(<!-- begin (\w+) -->\n)[^]*?(<!-- end \2 -->)/g, (whole, begin: string, name: string, end: string) => {
    const section = sections[name];
    return section ? `${begin}${section()}\n${end}` : whole;
  });
