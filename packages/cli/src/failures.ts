import { AntiphonError, findPreset, modelsByProvider, type ErrorCode } from "antiphon";
import { exitCodes } from "./exit-codes.ts";
import { nearest } from "./nearest.ts";
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
  INVALID_OUTPUT: api,
  ABORTED: general,
  UNSUPPORTED: api,
};

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof AntiphonError) return byErrorCode[error.code];
  if (error instanceof UsageError) return exitCodes.usage;
  return error instanceof ConfigError ? config : general;
}

/** Describes an error: what happened and what the user can do in a terminal. */
export function explain(error: unknown): string {
  if (error instanceof AntiphonError) return [`${error.code}: ${messageOf(error)}`, adviceFor(error) ?? []].flat().join("\n");
  if (error instanceof UsageError) return `${error.message}\nTry: antiphon ${error.command ? `${error.command} ` : ""}--help`;
  return error instanceof Error ? error.message : String(error);
}

/** The last line of `run --json` if the run failed before its terminal event. */
export function errorEvent(error: unknown): object {
  const isKnown = error instanceof AntiphonError;
  const ownCode = error instanceof UsageError ? "USAGE" : error instanceof ConfigError ? "CONFIG" : "ERROR";
  const message = isKnown ? messageOf(error) : error instanceof Error ? error.message : String(error);
  const advice = isKnown ? adviceFor(error) : undefined;
  const exit_code = exitCodeOf(error);
  return { type: "error", code: isKnown ? error.code : ownCode, message, ...(advice && { advice }), exit_code };
}

const timeoutKeys: Readonly<Record<string, string>> = {
  connect: "connect_timeout",
  firstEvent: "first_event_timeout",
  idle: "idle_timeout",
  total: "timeout",
};

/** Replaces the library's names of timeouts, and their milliseconds, by configuration keys and seconds. */
export const withOwnKeys = (message: string): string =>
  message.replaceAll(/(\d+) ms \(`timeouts\.(\w+)`\)/g, (whole, ms: string, name: string) => {
    const key = Object.hasOwn(timeoutKeys, name) ? timeoutKeys[name] : undefined;
    return key === undefined ? whole : `${Number(ms) / 1000} s (\`${key}\`)`;
  });

/** The message of an error of the library, without advice that only applies to programs. */
export function messageOf(error: AntiphonError): string {
  if (isMissingKey(error)) return `There is no key for ${error.provider}.`;
  return withOwnKeys(error.message);
}

/** The library reports a missing key without a request, so without a status. */
const isMissingKey = ({ code, status, provider, message }: AntiphonError): boolean =>
  code === "AUTH_ERROR" && status === undefined && provider !== undefined && /`apiKey`|\bno (API )?key\b/i.test(message);

/** What to do about an error in a terminal. `errorCodes` of the library has the advice for programs. */
export function adviceFor(error: AntiphonError): string | undefined {
  // The gateway's own store failed: advice about a provider would mislead.
  if (error.vendorCode === "store_failed") return "Check `gateway.store` or --store: is the path or URL correct and reachable?";
  return advice[error.code](error);
}

const retryLater = ({ retryAfter }: AntiphonError): string =>
  retryAfter === undefined ? "Try again later." : `Try again in ${Math.ceil(retryAfter / 1000)} s.`;

const advice: Readonly<Record<ErrorCode, (error: AntiphonError) => string | undefined>> = {
  AUTH_ERROR: keyAdvice,
  PERMISSION: () => "Choose another model with --model, or ask the provider for access to this one.",
  RATE_LIMIT: retryLater,
  TOKEN_RATE_LIMIT: (error) => `${retryLater(error)} Shorter prompts use up the limit more slowly.`,
  QUOTA_EXCEEDED: () => "Add credit or raise the budget in your account at the provider. Retrying does not help.",
  CONNECTION_ERROR: () => "Check the network, the proxy and the base URL. If the server is local, check that it is running.",
  TIMEOUT: timeoutAdvice,
  INVALID_MODEL: modelAdvice,
  NOT_FOUND: () => "Check the model name and the base URL.",
  CHAIN_NOT_FOUND: () => "Start a new conversation.",
  CONTEXT_LENGTH_EXCEEDED: () => "Shorten the input, or choose a model with a larger context window.",
  INVALID_SCHEMA: () => "Correct the JSON Schema. In strict mode, list every property in `required` and forbid additional ones.",
  INVALID_ENCRYPTED_CONTENT: () => "Start a new conversation.",
  CONTENT_POLICY: () => "Change the prompt. The provider will block the same one again.",
  BAD_REQUEST: requestAdvice,
  SERVER_OVERLOADED: () => "Try again later, or choose another model with --model.",
  SERVER_ERROR: ({ requestId }) =>
    `Try again.${requestId ? ` If it fails repeatedly, report request ${requestId} to the provider.` : ""}`,
  TRUNCATED: () => "The answer is incomplete. Try again.",
  PROTOCOL: () => "Check that the base URL belongs to an API that this provider name supports.",
  INVALID_OUTPUT: () => "Describe the fields in the schema, simplify it, or choose a more capable model.",
  ABORTED: () => undefined,
  UNSUPPORTED: () => "Remove the option, or choose a provider that supports it.",
};

/** Names the variable and the configuration key of a provider's key. */
function keyAdvice(error: AntiphonError): string {
  const { provider: name, message, status } = error;
  if (name === undefined) return "Check the key of the provider.";
  const preset = findPreset(name);
  // A provider from the configuration is not among the presets; the message names its variables.
  const named = status === undefined ? [...message.matchAll(/\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b/g)].map(([variable]) => variable) : [];
  const variables = preset && preset.wire !== "local" ? (preset.env ?? []) : named;
  const [variable] = variables;
  const where = preset ? `\`api_key\` under [providers.${name}]` : `\`env\` under [presets.${name}]`;
  if (isMissingKey(error))
    return variable
      ? `Set ${variable}${preset ? `, or add ${where} in the configuration file` : ""}. ${filesHint}`
      : `Add ${where} in the configuration file. ${filesHint}`;
  return `Check ${[variable ?? [], where].flat().join(" or ")}: the key must be valid for this server.`;
}

const filesHint = "`antiphon config path` prints the path of the file.";

function timeoutAdvice({ message }: AntiphonError): string {
  const key = /`(\w*timeout)`/.exec(withOwnKeys(message))?.[1];
  return key === undefined
    ? "Try again, or raise the timeout; docs/timeouts.md lists all of them."
    : `To wait longer, add --set ${key}=<seconds> or set \`${key}\` in the configuration file.`;
}

function modelAdvice({ provider: name, message }: AntiphonError): string {
  if (name === undefined) return "`antiphon models` lists the available models.";
  const known = modelsByProvider(name).map(({ id }) => id);
  const quoted = [...message.matchAll(/["'`“]([\w.:/-]+)["'`”]/g)].map(([, model = ""]) => model);
  const meant = quoted.map((model) => nearest(model, known)).find((model) => model !== undefined && !quoted.includes(model));
  return `${meant ? `Did you mean ${name}:${meant}? ` : ""}\`antiphon models ${name}\` lists the available models.`;
}

/** The options behind request fields. Options of the command line are the same as keys of the configuration. */
const optionOf: Readonly<Record<string, string>> = {
  temperature: "--temperature (`temperature`)",
  max_output_tokens: "--max-tokens (`max_tokens`)",
  max_tokens: "--max-tokens (`max_tokens`)",
  max_completion_tokens: "--max-tokens (`max_tokens`)",
  reasoning: "--effort (`effort`)",
  "reasoning.effort": "--effort (`effort`)",
  reasoning_effort: "--effort (`effort`)",
  "text.verbosity": "--verbosity (`verbosity`)",
  verbosity: "--verbosity (`verbosity`)",
  instructions: "--instructions (`instructions`)",
  parallel_tool_calls: "`parallel_tool_calls`",
  store: "`store`",
};

function requestAdvice({ param, status }: AntiphonError): string | undefined {
  // The message about a wrong model says what to do.
  if (param === undefined || param === "model") return undefined;
  const option = Object.hasOwn(optionOf, param) ? optionOf[param] : undefined;
  if (option !== undefined) return `Change or remove ${option}.`;
  // Without a status, the library rejected an argument, and its message names it.
  return status === undefined ? undefined : `The problem is in the request field \`${param}\`.`;
}
