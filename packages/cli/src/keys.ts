import { newKey, openStore, type Store, type StoredKey } from "antiphon-gateway";
import { settingsFor } from "./config/flags.ts";
import { exitCodes } from "./exit-codes.ts";
import { gatewayStore } from "./gateway-store.ts";
import { keysCommands } from "./keys-commands.ts";
import { resolveId } from "./nearest.ts";
import {
  CommandError,
  expectNoWords,
  readArguments,
  UsageError,
  wholeNumber,
  type Command,
  type Flags,
  type Parsed,
} from "./options.ts";

const create = keysCommands["keys create"];
const list = keysCommands["keys list"];
const revoke = keysCommands["keys revoke"];

type CreateFlags = Parsed<(typeof create)["flags"]>["flags"];

/** Creates a key, prints it and returns the exit code. */
export async function createKey(args: string[]): Promise<number> {
  const { flags, words } = readArguments(create, args);
  expectNoWords(words);
  const now = Date.now();
  const made = newKey(keyOptions(flags, now), now);
  await withStore(create, flags, (store) => store.createKey(made.key));
  const { secret, key } = made;
  print(flags.json ? JSON.stringify({ ...shown(key), key: secret }) : secret);
  process.stderr.write(`Created ${key.id} for "${key.name}". Save the key now: it is not shown again.\n`);
  return exitCodes.ok;
}

/** Prints all keys, without their secrets, and returns the exit code. */
export async function listKeys(args: string[]): Promise<number> {
  const { flags, words } = readArguments(list, args);
  expectNoWords(words);
  const keys = await withStore(list, flags, (store) => store.listKeys());
  if (flags.json) for (const key of keys) print(JSON.stringify(shown(key)));
  else for (const line of table(keys, Date.now())) print(line);
  return exitCodes.ok;
}

/** Revokes keys and returns the exit code. */
export async function revokeKeys(args: string[]): Promise<number> {
  const { flags, words } = readArguments(revoke, args);
  if (words.length === 0) throw new UsageError("specify at least one id; `antiphon keys list` lists them");
  return withStore(revoke, flags, async (store) => {
    const known = (await store.listKeys()).map(({ id }) => id);
    // One wrong id must not prevent the others from being revoked.
    const problems: string[] = [];
    for (const word of words) {
      try {
        await store.revokeKey(resolveId(word, known, "key"));
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        problems.push(error.message);
      }
    }
    if (problems.length > 0) throw new CommandError(problems.join("\n"));
    return exitCodes.ok;
  });
}

async function withStore<F extends Flags, T>(
  command: Command<F>,
  flags: Parsed<F>["flags"] & { store?: string },
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const place = gatewayStore(await settingsFor(command, { flags }), flags.store);
  if (place === "memory") throw new UsageError("keys require a persistent store; specify a file or postgres://… with --store");
  const store = await openStore(place, { keysOnly: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function keyOptions({ name, owner, models, rpm, tpm, budget, expires }: CreateFlags, now: number): Parameters<typeof newKey>[0] {
  if (!name?.trim()) throw new UsageError("--name is required: a name for the key, such as --name laptop");
  const dollars = budget === undefined ? undefined : Number(budget.replace(/^\$/, ""));
  if (dollars !== undefined && !(dollars > 0 && dollars < Infinity))
    throw new UsageError(`--budget must be an amount in dollars, not "${budget}"`);
  return {
    name,
    owner,
    models: models?.split(",").map((model) => model.trim()),
    requestsPerMinute: wholeNumber("rpm", rpm),
    tokensPerMinute: wholeNumber("tpm", tpm),
    budget: dollars,
    expiresAt: expires === undefined ? undefined : momentOf(expires, now),
  };
}

const hour = 3_600_000;
const units: Readonly<Record<string, number>> = { m: hour / 60, h: hour, d: 24 * hour, w: 168 * hour };

/** Parses `30d` from now, or the end of a day, as a time. */
function momentOf(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const length = units[unit];
  const moment =
    count !== undefined && length !== undefined
      ? now + Number(count) * length
      : /^\d{4}-\d\d-\d\d$/.test(text)
        ? Date.parse(`${text}T23:59:59.999Z`)
        : NaN;
  if (!(moment > now))
    throw new UsageError(`--expires must be a duration such as 30d or a future date such as 2031-12-31, not "${text}"`);
  return moment;
}

/** A key without its hash. */
function shown({ hash: _, ...key }: StoredKey): Omit<StoredKey, "hash"> {
  return key;
}

const heads = ["ID", "NAME", "OWNER", "MODELS", "LIMITS", "SPENT", "EXPIRES", "STATE"] as const;

function table(keys: readonly StoredKey[], now: number): string[] {
  const rows = [heads, ...keys.map((key) => row(key, now))];
  const widths = heads.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
}

function row(key: StoredKey, now: number): string[] {
  const { id, name, owner, models, requestsPerMinute: rpm, tokensPerMinute: tpm, budget, spent, expires_at } = key;
  const limits = [...(rpm === null ? [] : [`${rpm} rpm`]), ...(tpm === null ? [] : [`${tpm} tpm`])];
  const state = key.revoked ? "revoked" : expires_at !== null && expires_at <= now ? "expired" : "active";
  return [
    id,
    printable(name),
    owner === id ? "-" : printable(owner),
    models.length === 0 ? "all" : printable(models.join(",")),
    limits.join(", ") || "-",
    `$${spent.toFixed(2)}${budget === null ? "" : ` of $${budget}`}`,
    expires_at === null ? "never" : new Date(expires_at).toISOString().slice(0, 16).replace("T", " "),
    state,
  ];
}

/** Replaces control characters, so that a name cannot control the terminal. */
const printable = (text: string): string => text.replace(/\p{C}/gu, "?");

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
