import type { BatchText } from "../limits.ts";
import { isFinal, type ResponseRow } from "../texts.ts";
import type { PostgresDatabase, Statement } from "./database.ts";

/** What decides whether a response takes a change. */
export type State = Pick<ResponseRow, "conversation" | "response" | "output"> & {
  status: Parameters<typeof isFinal>[0];
  worker: string | null;
  log_end: number;
};

/** Reads what stands, for a change that was not taken: one statement cannot see what another did while it waited. */
export const stateReader = (database: PostgresDatabase): Statement<State> =>
  database.prepare<State>(
    `SELECT conversation, response, output, status, worker, log_end FROM ${database.schema}.responses WHERE id = $1`,
  );

/** Whether a change comes too late: after the end, from who lost the run, or to a log that has moved on. */
export const comesTooLate = ({ status, worker, log_end }: State, by: string | undefined, batch: BatchText | undefined): boolean =>
  isFinal(status) || (by !== undefined && worker !== by) || (batch !== undefined && log_end !== batch.first - 1);
