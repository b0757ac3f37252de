import { isTable, type Path, type Table } from "./check.ts";

/** One source of settings. */
export interface Layer {
  kind: "file" | "environment" | "flags";
  values: Table;
  /** The location of a value, for messages: `antiphon.toml:3`, `ANTIPHON_MODEL`, `--model`. */
  where(path: Path): string;
}

/** Merges layers. Tables are merged by key; other values of a later layer replace earlier ones. */
export const merged = (layers: readonly Layer[]): Table =>
  layers.reduce<Table>((all, { values }) => mergeTables(all, values), {});

function mergeTables(below: Table, above: Table): Table {
  const result: Record<string, unknown> = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const was = result[name];
    result[name] = isTable(was) && isTable(value) ? mergeTables(was, value) : value;
  }
  return result;
}

/** The value at a path. */
function valueAt(values: unknown, path: Path): unknown {
  let value = values;
  for (const name of path) value = isTable(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The layer that sets a path, or `undefined`. */
export const layerOf = (layers: readonly Layer[], path: Path): Layer | undefined =>
  layers.findLast(({ values }) => valueAt(values, path) !== undefined);

/** A table with one value in it. */
export const nested = (path: Path, value: unknown): Table =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Table;
