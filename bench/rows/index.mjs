/** The rows in the order of the tables; an id is the name of the file that holds the row. */
export const rowIds = ["bytes", "hand", "http", "us", "us-fetch", "openai", "openai-stream", "pi", "agents", "ai", "langchain"];

/** The row that ratios are taken against. */
export const baseline = "hand";

/** What opens a row for a kind of answer: a loop and a typed object take other code than a stream; `undefined` where it has none. */
export function openerOf(row, kind) {
  if (kind === "loop") return row.openLoop;
  if (kind === "object") return row.openObject;
  return row.lacks?.[kind] ? undefined : row.open;
}

export async function loadRows(ids) {
  const rows = [];
  for (const id of ids) rows.push({ id, ...(await import(`./${id}.mjs`)).default });
  return rows;
}
