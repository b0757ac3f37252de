import { writeFile } from "node:fs/promises";
import { Log } from "antiphon/conversation";
import { fileSessions } from "antiphon/node";
import { commands } from "./commands.ts";
import { exitCodes } from "./exit-codes.ts";
import { resolveId } from "./nearest.ts";
import { CommandError, expectNoWords, readArguments, UsageError } from "./options.ts";
import { sessionsFolder } from "./sessions-folder.ts";
import { isMessage, markdownOf, textOf } from "./transcript.ts";
import { harmless } from "./view.ts";

/** The library stores the tool journal of a conversation under its id and this ending. */
const journalEnding = ":calls";

const open = () => {
  const store = fileSessions(sessionsFolder());
  const list = async (): Promise<string[]> => (await store.list()).filter((id) => !id.endsWith(journalEnding));
  return { store, list };
};

/** A conversation in a list. */
interface Summary {
  id: string;
  /** The time of the last answer, in seconds since 1970. */
  updated?: number;
  messages: number;
  model?: string;
  title: string;
}

/** Lists the conversations and returns the exit code. */
export async function listSessions(args: string[]): Promise<number> {
  const { flags, words } = readArguments(commands["sessions list"], args);
  expectNoWords(words);
  const summaries = (await Promise.all((await open().list()).map(async (id) => summaryOf(await load(id))))).toSorted(
    (a, b) => (b.updated ?? 0) - (a.updated ?? 0),
  );
  if (summaries.length === 0 && !flags.json) process.stderr.write("No saved conversations.\n");
  for (const summary of summaries) process.stdout.write(`${flags.json ? JSON.stringify(summary) : line(summary)}\n`);
  return exitCodes.ok;
}

const line = ({ id, updated, messages, title }: Summary): string => {
  const date = updated === undefined ? "".padEnd(16) : new Date(updated * 1000).toISOString().slice(0, 16).replace("T", " ");
  return `${id}  ${date}  ${messages} message${messages === 1 ? " " : "s"}  ${title}`.trimEnd();
};

const maxTitle = 60;

function summaryOf(log: Log): Summary {
  const messages = log.items.filter(isMessage);
  const question = textOf(messages.find(({ role }) => role === "user"))
    .replaceAll(/\s+/g, " ")
    .trim();
  const last = log.entries.findLast(({ origin }) => origin)?.origin;
  return {
    id: log.id,
    ...(last?.created_at === undefined ? {} : { updated: last.created_at }),
    messages: messages.length,
    ...(last ? { model: `${last.provider}:${last.model}` } : {}),
    title: question.length > maxTitle ? `${question.slice(0, maxTitle)}…` : question,
  };
}

/** Loads a saved conversation by its id or a unique prefix. */
async function load(text: string): Promise<Log> {
  const { store, list } = open();
  const id = resolveId(text, await list(), "conversation");
  const json = await store.load(id);
  if (!json) throw new CommandError(`there is no conversation "${id}"`);
  return Log.from(json);
}

function onlyId(words: readonly string[]): string {
  const [id, ...rest] = words;
  if (id === undefined || rest.length > 0)
    throw new UsageError("specify the id of one conversation; `antiphon sessions list` lists them");
  return id;
}

/** Prints a conversation and returns the exit code. */
export async function showSession(args: string[]): Promise<number> {
  const { words } = readArguments(commands["sessions show"], args);
  const text = markdownOf(await load(onlyId(words)));
  process.stdout.write(process.stdout.isTTY ? harmless(text) : text);
  return exitCodes.ok;
}

/** Writes a conversation to a file or to standard output and returns the exit code. */
export async function exportSession(args: string[]): Promise<number> {
  const { flags, words } = readArguments(commands["sessions export"], args);
  const log = await load(onlyId(words));
  const text = flags.json ? `${JSON.stringify(log)}\n` : markdownOf(log);
  if (flags.output === undefined) process.stdout.write(text);
  else await writeNew(flags.output, text);
  return exitCodes.ok;
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isThere ? new CommandError(`${path} already exists`) : error;
  }
}

/** Deletes conversations, all or none, and returns the exit code. */
export async function removeSessions(args: string[]): Promise<number> {
  const { words } = readArguments(commands["sessions remove"], args);
  if (words.length === 0) throw new UsageError("specify at least one id; `antiphon sessions list` lists them");
  const { store, list } = open();
  const known = await list();
  const ids = words.map((word) => resolveId(word, known, "conversation"));
  for (const id of new Set(ids)) await Promise.all([store.delete(id), store.delete(`${id}${journalEnding}`)]);
  return exitCodes.ok;
}
