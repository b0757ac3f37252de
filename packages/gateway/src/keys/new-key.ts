import { createHash, randomBytes } from "node:crypto";
import { AntiphonError } from "antiphon";
import type { StoredKey } from "../store/store.ts";

/** What a key is to be good for; whatever is left out is not bounded. */
export interface KeyOptions {
  /** For people: who or what has it. */
  name: string;
  /** Whose things it makes and sees; left out, nobody else's. Keys of one owner share everything. */
  owner?: string;
  /** Models that it may use, by name or with `*` for any characters. */
  models?: readonly string[];
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  /** In dollars, for the whole life of the key. */
  budget?: number;
  /** Milliseconds since 1970. */
  expiresAt?: number;
}

/** A key that was just made. */
export interface NewKey {
  /** What the client sends. It can be seen here and never again. */
  secret: string;
  /** What is kept. */
  key: StoredKey;
}

const prefix = "ak-";
const form = /^ak-[\w-]{49}$/;
const checkLength = 6;

/**
 * Creates a key. `store.createKey(key)` activates it.
 *
 * @example
 * const { secret, key } = newKey({ name: "laptop", models: ["gpt-*"], budget: 10 });
 * await store.createKey(key);
 */
export function newKey(options: KeyOptions, now: number = Date.now()): NewKey {
  checkOptions(options, now);
  const body = prefix + randomBytes(32).toString("base64url");
  const secret = body + checkOf(body);
  const id = `key_${randomBytes(12).toString("hex")}`;
  const key: StoredKey = {
    id,
    hash: hashOf(secret),
    name: options.name,
    owner: options.owner ?? id,
    created_at: now,
    expires_at: options.expiresAt ?? null,
    models: [...(options.models ?? [])],
    requestsPerMinute: options.requestsPerMinute ?? null,
    tokensPerMinute: options.tokensPerMinute ?? null,
    budget: options.budget ?? null,
    spent: 0,
    revoked: false,
  };
  return { secret, key };
}

/**
 * What is kept in the place of a key. A slow hash guards what people make up, since that can be guessed; nobody guesses 256 random bits,
 * so that a fast one is as safe, and costs every request a microsecond.
 */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** Whether a text has the form of a key. */
export const isKeyLike = (text: string): boolean => form.test(text);

/** Whether the last characters fit the others: a key that was cut short or mistyped is refused without a look into the store. */
export const isWhole = (secret: string): boolean => secret.endsWith(checkOf(secret.slice(0, -checkLength)));

const checkOf = (body: string): string => hashOf(body).slice(0, checkLength);

function checkOptions({ name, models = [], ...rest }: KeyOptions, now: number): void {
  if (name.trim() === "" || name.length > 100) throw wrong("name", "`name` must have 1 to 100 characters.");
  if (models.some((model) => model.trim() === "")) throw wrong("models", "`models` must not contain an empty name.");
  for (const param of ["requestsPerMinute", "tokensPerMinute"] as const)
    if (!(rest[param] === undefined || (Number.isSafeInteger(rest[param]) && rest[param] > 0)))
      throw wrong(param, `\`${param}\` must be a whole number above 0.`);
  if (!(rest.budget === undefined || (Number.isFinite(rest.budget) && rest.budget > 0)))
    throw wrong("budget", "`budget` must be a number of dollars above 0.");
  if (!(rest.expiresAt === undefined || (Number.isSafeInteger(rest.expiresAt) && rest.expiresAt > now)))
    throw wrong("expiresAt", "`expiresAt` must be a time in the future, in milliseconds since 1970.");
}

const wrong = (param: string, message: string): AntiphonError => new AntiphonError("BAD_REQUEST", message, { param });
