import type { ResponseResource } from "antiphon";
import type { RunEnd, StoredRow } from "./response-rows.ts";

/** What is written ahead of the database, as it is read again. */
export type AheadRecord = { begun: StoredRow } | { ended: RunEnd };

// A record is a line: a list whose last members are texts that are JSON already. They are put in as they are, since JSON in a string of
// JSON would be escaped once more. JSON has no line feeds of its own. Lines are given in pieces, since what may be long should not be
// copied only to be one text before it becomes bytes.

/** A row that is new. */
export function begunLine(row: StoredRow): string[] {
  const { id, owner, previous, conversation, background, status, created_at, worker, due, attempts } = row;
  const about = [id, owner, previous, conversation, background, status, created_at, worker, due, attempts];
  return [`["begun",${JSON.stringify(about)},`, row.input, `,${row.output},${row.request},`, row.response, "]\n"];
}

/** The end of a run. */
export const endedLine = ({ id, worker, status, output, response }: RunEnd): string[] => [
  `["ended",${JSON.stringify([id, worker, status])},`,
  output,
  `,${response}]\n`,
];

/**
 * The records of a file, up to the first that is not whole: what follows was never acknowledged, or went when the machine lost power.
 */
export function aheadRecords(text: string): AheadRecord[] {
  const records: AheadRecord[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const record = recordOf(line);
    if (!record) break;
    records.push(record);
  }
  return records;
}

function recordOf(line: string): AheadRecord | undefined {
  try {
    const [kind, about, ...values] = JSON.parse(line) as [string, unknown[], ...unknown[]];
    if (kind === "begun" && about.length === 10 && values.length === 4) return { begun: begunRow(about, values) };
    return kind === "ended" && about.length === 3 && values.length === 2 ? { ended: runEnd(about, values) } : undefined;
  } catch {
    return undefined;
  }
}

// Lines of these lengths were written by the functions above: members are of the types that were put in. What is parsed and made into
// text again is the same text, since it was made the same way.

function begunRow(about: unknown[], values: unknown[]): StoredRow {
  const [id, owner, previous, conversation, background, status, created_at, worker, due, attempts] = about as [
    string,
    string,
    string | null,
    string | null,
    number,
    ResponseResource["status"],
    number,
    string | null,
    number | null,
    number,
  ];
  const [input, output, request, response] = values.map((value) => JSON.stringify(value)) as [string, string, string, string];
  const [who, run] = [
    { id, owner, previous, conversation, background, status, created_at },
    { worker, due, attempts },
  ];
  return { ...who, input, output, request, response, ...run };
}

function runEnd(about: unknown[], values: unknown[]): RunEnd {
  const [id, worker, status] = about as [string, string, ResponseResource["status"]];
  const [output, response] = values.map((value) => JSON.stringify(value)) as [string, string];
  return { id, worker, status, output, response };
}
