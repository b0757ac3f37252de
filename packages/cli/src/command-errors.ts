/** The command line is wrong: an unknown option, a wrong value, a missing argument. */
export class UsageError extends Error {
  /** The command that was run. Its help page is suggested. */
  command?: string;
}

/** A configuration file or an environment variable is wrong. */
export class ConfigError extends Error {}

/** The command is valid but cannot be carried out: a missing file, an unknown id, a port in use. */
export class CommandError extends Error {}
