import { taken } from "../failures.ts";
import { isPlainId } from "../limits.ts";
import { isFinal, openList } from "../texts.ts";
import { aheadRecords, begunLine, endedLine } from "./ahead-records.ts";
import type { AheadFile } from "./ahead-file.ts";
import type { Database, Statement } from "./open-database.ts";
import { endedRow, rowEnder, rowInserter, type EndRow, type InsertRow, type RunEnd, type StoredRow } from "./response-rows.ts";

/** So much is written ahead at the most: it is also kept in memory, and read when the process died. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Writing ahead pays where many go together. Where somebody reads so often that fewer than these wait each time, so many turns go
 * straight into the database before it is tried again; that costs what it always did.
 */
const [fewest, rest] = [4, 32];

/**
 * What was written ahead of the database. It is acknowledged and stands in a file, and whatever else is done to the database, reading
 * included, puts it there first: so nobody but this needs to know about it. Only for a process that is alone with its database.
 *
 * Records of a turn are gathered, written at once and then pending; what could not be written never was.
 */
export class Ahead {
  readonly #file: AheadFile;
  readonly #insert: InsertRow;
  readonly #end: EndRow;
  readonly #last: Statement<{ id: string | null }>;
  readonly #find: Statement<object>;
  readonly #findHeld: Statement<object>;
  /** Rows that are not in the database, as they are now, in the order in which they began. */
  #rows = new Map<string, StoredRow>();
  /** Ends of rows that are in the database. */
  #ends = new Map<string, RunEnd>();
  #gathered = nothing();
  /** How many turns do not go ahead. */
  #rest = 0;
  /** No id in the database or here is greater. */
  #greatest = "";

  constructor(database: Database, file: AheadFile) {
    this.#file = file;
    this.#insert = rowInserter(database);
    this.#end = rowEnder(database);
    this.#last = database.prepare("SELECT max(id) AS id FROM responses");
    this.#find = database.prepare("SELECT 1 FROM responses WHERE id = ?");
    this.#findHeld = database.prepare(`SELECT 1 FROM responses WHERE id = ? AND worker = ? AND status IN ${openList}`);
  }

  /** Looks where ids end, so that most of those to come need not be looked up. */
  start(): void {
    this.saw(this.#last.get()?.id ?? "");
  }

  /** Puts what a process left that died into the database, inside a transaction. All of it may be there already. */
  recover(): void {
    for (const record of aheadRecords(this.#file.read()))
      if ("begun" in record) this.#insert(record.begun);
      else this.#end(record.ended);
  }

  /** Whether the writes of a turn go ahead. */
  takesTurn(): boolean {
    if (this.#rest === 0) return this.#file.isUsable && this.#file.length < mostBytes;
    this.#rest -= 1;
    return false;
  }

  /** All that is pending has to go, since somebody wants to use the database. */
  hurry(): void {
    if (this.pending > 0 && this.pending < fewest) this.#rest = rest;
  }

  /** How many statements it takes to put all that is pending into the database. */
  get pending(): number {
    return this.#rows.size + this.#ends.size;
  }

  /** An id goes into the database some other way. */
  saw(id: string): void {
    if (id > this.#greatest) this.#greatest = id;
  }

  /** Gathers a row that is new. */
  begin(row: StoredRow): void {
    const { id } = row;
    if (this.#isTaken(id)) throw taken("response", id);
    this.saw(id);
    this.#gathered.rows.set(id, row);
    this.#gathered.lines.push(begunLine(row));
  }

  /** Gathers the end of a run; `false` where the worker does not hold it, as far as can be told here. */
  end(end: RunEnd): boolean {
    const { id, worker } = end;
    const { rows, ends } = this.#gathered;
    const row = rows.get(id) ?? this.#rows.get(id);
    if (row && (row.worker !== worker || isFinal(row.status))) return false;
    if (!row && (ends.has(id) || this.#ends.has(id) || !this.#findHeld.get(id, worker))) return false;
    if (row) rows.set(id, endedRow(row, end));
    else ends.set(id, end);
    this.#gathered.lines.push(endedLine(end));
    return true;
  }

  /** Writes what was gathered, which survives the end of the process from now on. */
  write(): void {
    const { rows, ends, lines } = this.#gathered;
    if (lines.length > 0) this.#file.append(lines);
    for (const [id, row] of rows) this.#rows.set(id, row);
    for (const [id, end] of ends) this.#ends.set(id, end);
  }

  /** Begins to gather anew. */
  drop(): void {
    this.#gathered = nothing();
  }

  /** Puts all that is pending into the database, inside a transaction. */
  put(): void {
    for (const row of this.#rows.values()) this.#insert(row);
    for (const end of this.#ends.values()) this.#end(end);
  }

  /** That transaction is committed. */
  moved(): void {
    // Not cleared: V8 makes a new table for that, and an old one that it has promoted keeps all rows alive through small collections.
    this.#rows = new Map();
    this.#ends = new Map();
    this.#file.empty();
  }

  /** Whether nothing is left in the file. */
  get isEmpty(): boolean {
    return this.#file.length === 0;
  }

  close(): void {
    this.#file.close();
  }

  #isTaken(id: string): boolean {
    // Of two ids with plain characters, or one, SQLite and JavaScript find the same one greater; those of the gateway grow with time.
    if (id > this.#greatest && isPlainId(id)) return false;
    return this.#rows.has(id) || this.#gathered.rows.has(id) || this.#find.get(id) !== undefined;
  }
}

/** What was gathered when nothing was. */
const nothing = (): { rows: Map<string, StoredRow>; ends: Map<string, RunEnd>; lines: string[][] } => ({
  rows: new Map(),
  ends: new Map(),
  lines: [],
});
