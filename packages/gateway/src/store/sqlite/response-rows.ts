import type { ResponseResource } from "antiphon";
import type { Holder, StoredResponse } from "../store.ts";
import { openList, type ResponseTexts } from "../texts.ts";
import type { Database } from "./open-database.ts";

/** A response as a row of its table, with its run. */
export interface StoredRow extends ResponseTexts {
  id: string;
  owner: string;
  previous: string | null;
  conversation: string | null;
  background: number;
  status: ResponseResource["status"];
  created_at: number;
  worker: string | null;
  due: number | null;
  attempts: number;
}

/** The end of a worker's own run. */
export interface RunEnd extends Pick<ResponseTexts, "response" | "output"> {
  id: string;
  worker: string;
  status: ResponseResource["status"];
}

/** How a response that is new is kept. */
export function rowOf(stored: StoredResponse, texts: ResponseTexts, run: Holder | "queued" | undefined, now: number): StoredRow {
  const { id, owner, previous, conversation, background, response } = stored;
  const { status, created_at } = response;
  const held = runOf(run, now);
  return {
    id,
    owner,
    previous,
    conversation,
    background: background ? 1 : 0,
    status,
    created_at: created_at * 1000,
    input: texts.input,
    output: texts.output,
    request: texts.request,
    response: texts.response,
    worker: held.worker,
    due: held.due,
    attempts: held.attempts,
  };
}

/** Who works on a run, when it can be claimed, and how many worked on it; nothing where there is no run. */
function runOf(run: Holder | "queued" | undefined, now: number): Pick<StoredRow, "worker" | "due" | "attempts"> {
  if (!run) return { worker: null, due: null, attempts: 0 };
  return run === "queued" ? { worker: null, due: now, attempts: 0 } : { worker: run.worker, due: now + run.leaseMs, attempts: 1 };
}

/** The same row when its run is over. */
export function endedRow(row: StoredRow, { status, response, output }: RunEnd): StoredRow {
  const ended = { ...row };
  ended.status = status;
  ended.response = response;
  ended.output = output;
  ended.worker = null;
  ended.due = null;
  return ended;
}

/** Writes a row; `false` where its id is taken. */
export type InsertRow = (row: StoredRow) => boolean;

export function rowInserter(database: Database): InsertRow {
  const insert = database.prepare(
    `INSERT INTO responses (id, owner, previous, conversation, background, status, created_at, input, output, request, response,
       worker, due, attempts)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  return (row) => {
    const { id, owner, previous, conversation, background, status, created_at, input, output, request, response } = row;
    const about = [id, owner, previous, conversation, background, status, created_at] as const;
    return Number(insert.run(...about, input, output, request, response, row.worker, row.due, row.attempts).changes) > 0;
  };
}

/** Ends a run in one statement; `false` where the worker does not hold it, or it is over. */
export type EndRow = (end: RunEnd) => boolean;

export function rowEnder(database: Database): EndRow {
  const end = database.prepare(
    `UPDATE responses SET status = ?, response = ?, output = ?, worker = NULL, due = NULL
     WHERE id = ? AND worker = ? AND status IN ${openList}`,
  );
  return ({ id, worker, status, response, output }) => Number(end.run(status, response, output, id, worker).changes) > 0;
}
