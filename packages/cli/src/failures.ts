import { AntiphonError, type ErrorCode } from "antiphon";
import { exitCodes } from "./exit-codes.ts";
import { ConfigError, UsageError } from "./options.ts";

const { general, config, api, network } = exitCodes;

const byErrorCode: Readonly<Record<ErrorCode, number>> = {
  AUTH_ERROR: config,
  PERMISSION: api,
  RATE_LIMIT: api,
  TOKEN_RATE_LIMIT: api,
  QUOTA_EXCEEDED: api,
  CONNECTION_ERROR: network,
  TIMEOUT: network,
  INVALID_MODEL: api,
  NOT_FOUND: api,
  CHAIN_NOT_FOUND: api,
  CONTEXT_LENGTH_EXCEEDED: api,
  INVALID_SCHEMA: api,
  INVALID_ENCRYPTED_CONTENT: api,
  CONTENT_POLICY: api,
  BAD_REQUEST: api,
  SERVER_OVERLOADED: api,
  SERVER_ERROR: api,
  TRUNCATED: network,
  PROTOCOL: api,
  ABORTED: general,
  UNSUPPORTED: api,
};

/** The exit code that fits a failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof AntiphonError) return byErrorCode[error.code];
  if (error instanceof UsageError) return exitCodes.usage;
  return error instanceof ConfigError ? config : general;
}

/** What is said of a failure: what happened, and what can be done. */
export function explain(error: unknown): string {
  if (error instanceof AntiphonError) return `${error.code}: ${withOwnKeys(error.message)}\n${adviceOn(error)}`;
  if (error instanceof UsageError) return `${error.message}\nTry: antiphon --help`;
  return error instanceof Error ? error.message : String(error);
}

const timeoutKeys: Readonly<Record<string, string>> = {
  connect: "connect_timeout",
  firstEvent: "first_event_timeout",
  idle: "idle_timeout",
  total: "timeout",
};

/** Replaces the library's names of timeouts, and their milliseconds, by the keys of the configuration, which are in seconds. */
export const withOwnKeys = (message: string): string =>
  message.replaceAll(/(\d+) ms \(`timeouts\.(\w+)`\)/g, (whole, ms: string, name: string) => {
    const key = Object.hasOwn(timeoutKeys, name) ? timeoutKeys[name] : undefined;
    return key === undefined ? whole : `${Number(ms) / 1000} s (\`${key}\`)`;
  });

/** No provider had a part in it where the gateway's own store failed. */
const adviceOn = ({ vendorCode, advice }: AntiphonError): string =>
  vendorCode === "store_failed"
    ? "Look at `gateway.store` or `--store`: is that the right place, and can it be reached?"
    : advice;
