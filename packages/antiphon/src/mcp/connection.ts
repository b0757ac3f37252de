import type { ErrorCode } from "../core/error-codes.ts";
import { AntiphonError, toAntiphonError } from "../core/error.ts";
import { isObject, type JsonObject } from "../model/guards.ts";
import type { McpToolDefinition } from "../tools/formats.ts";
import { withoutSecrets } from "./secrets.ts";
import type { McpResult } from "./tool-result.ts";

/** How far a call is, as its server tells it. */
export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}

interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  onprogress?(progress: McpProgress): void;
}

/** As much of `Client` from `@modelcontextprotocol/client` as is used here. */
export interface McpClient {
  listTools(params?: undefined, options?: RequestOptions): Promise<{ tools: readonly McpToolDefinition[] }>;
  callTool(params: { name: string; arguments?: { [name: string]: unknown } }, options?: RequestOptions): Promise<McpResult>;
  getServerVersion(): { name: string; version: string } | undefined;
  getInstructions(): string | undefined;
}

/** A way to a server that was opened, and how it is closed. */
export interface Opened {
  client: McpClient;
  close(): Promise<void>;
}

/** What an `Open` function reports to, and the signal that stops it. */
export interface OpenContext {
  /** Called when the way breaks. */
  closed(): void;
  /** Called with the end of a way that could not be opened: a child process may take seconds to end. */
  closing(ended: Promise<unknown>): void;
  /** Called when the server's list of tools changes. */
  changed(): void;
  signal: AbortSignal;
}

/** Opens a way to a server. */
export type Open = (context: OpenContext) => Promise<Opened>;

const closed = "The connection to the MCP server was closed.";

/** What holds where the caller sets no time: the run's own limit stops the call through its signal. */
const longestTimer = 2 ** 31 - 1;

/**
 * A connection to a server that is opened when it is first needed, and again when it was lost. A call that was under way at that
 * moment is made again only if it surely never reached the server, or may run twice.
 */
export class Connection {
  readonly #open: Open;
  readonly #changed: () => void;
  /** What no error may repeat. */
  readonly #secrets: readonly string[];
  readonly #closing = new AbortController();
  /** Ways that are being closed in the background. `close` waits for them. */
  readonly #ending = new Set<Promise<void>>();
  #opened: Promise<Opened> | undefined;

  constructor(open: Open, changed: () => void, secrets: readonly string[]) {
    this.#open = open;
    this.#changed = changed;
    this.#secrets = secrets;
  }

  /** Asks the server something, twice where the first time showed that the connection was lost. */
  ask<T>(question: (client: McpClient) => Promise<T>, repeatable: boolean, signal?: AbortSignal): Promise<T> {
    return this.#ask(question, repeatable, signal).catch((thrown: unknown) => {
      throw withoutSecrets(thrown, this.#secrets);
    });
  }

  async #ask<T>(question: (client: McpClient) => Promise<T>, repeatable: boolean, signal?: AbortSignal): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const opened = this.#connected();
      const { client } = await opened;
      if (signal?.aborted) throw stopped(signal);
      try {
        return await question(client);
      } catch (thrown) {
        if (signal?.aborted) throw stopped(signal);
        const loss = lossOf(thrown);
        if (loss) this.#drop(opened);
        if (!loss || attempt > 0 || this.#closing.signal.aborted || (loss === "midway" && !repeatable))
          throw describe(thrown, loss);
      }
    }
  }

  list(timeout: number): Promise<readonly McpToolDefinition[]> {
    return this.ask(async (client) => (await client.listTools(undefined, { timeout })).tools, true);
  }

  call(name: string, input: unknown, options: RequestOptions & { repeatable: boolean }): Promise<McpResult> {
    const { repeatable, timeout = longestTimer, ...rest } = options;
    const params = { name, arguments: isObject(input) ? input : {} };
    return this.ask((client) => client.callTool(params, { timeout, ...rest }), repeatable, options.signal);
  }

  /** Closes the connection. Resolves when every process that was started for it has ended. */
  async close(): Promise<void> {
    this.#closing.abort(new AntiphonError("ABORTED", closed));
    const opened = this.#opened;
    this.#opened = undefined;
    // An opening that fails reports its end through `closing`.
    await opened?.then(({ close }) => close()).catch(() => {});
    await Promise.all(this.#ending);
  }

  // Several may wait for it, so it goes on when one of them stops waiting; the time to connect bounds it.
  #connected(): Promise<Opened> {
    const { signal } = this.#closing;
    if (signal.aborted) return Promise.reject(new AntiphonError("CONNECTION_ERROR", closed));
    if (this.#opened) return this.#opened;
    const opening: Promise<Opened> = this.#open({
      closed: () => this.#drop(opening),
      closing: (ended) => this.#waitFor(ended),
      changed: this.#changed,
      signal,
    });
    this.#opened = opening;
    opening.catch(() => this.#drop(opening));
    return opening;
  }

  #drop(opened: Promise<Opened>): void {
    if (this.#opened !== opened) return;
    this.#opened = undefined;
    this.#changed();
    this.#waitFor(opened.then(({ close }) => close()));
  }

  #waitFor(ended: Promise<unknown>): void {
    const settled = ended.then(
      () => void this.#ending.delete(settled),
      () => void this.#ending.delete(settled),
    );
    this.#ending.add(settled);
  }
}

/** `unsent`: the server surely did nothing. `midway`: nobody knows. */
type Loss = "unsent" | "midway";

const byCode: Readonly<Record<string, Loss>> = {
  CONNECTION_CLOSED: "midway",
  NOT_CONNECTED: "unsent",
  SEND_FAILED: "unsent",
  ECONNREFUSED: "unsent",
  ENOTFOUND: "unsent",
  ECONNRESET: "midway",
  EPIPE: "midway",
  UND_ERR_SOCKET: "midway",
};

const fieldsOf = (error: unknown): JsonObject => (isObject(error) ? error : {});

/** Whether an error means that the connection is gone. */
function lossOf(error: unknown): Loss | undefined {
  const { code, status, message, cause } = fieldsOf(error);
  // A server that knows nothing of the session any more has not looked at the call.
  if (status === 404 || message === "Not connected") return "unsent";
  if (typeof code === "string" && Object.hasOwn(byCode, code)) return byCode[code];
  if (cause instanceof Error) return lossOf(cause);
  return error instanceof TypeError ? "midway" : undefined;
}

const stopped = (signal: AbortSignal): AntiphonError => toAntiphonError(signal.reason, "ABORTED");

const byStatus: Readonly<Record<number, ErrorCode>> = { 401: "AUTH_ERROR", 403: "PERMISSION" };

/** The code for what a server or the SDK says, where it says more than that something failed. */
export function codeOf(error: unknown): ErrorCode | undefined {
  const { code, status, name } = fieldsOf(error);
  if (code === "REQUEST_TIMEOUT") return "TIMEOUT";
  if (name === "UnauthorizedError") return "AUTH_ERROR";
  return typeof status === "number" ? byStatus[status] : undefined;
}

function describe(thrown: unknown, loss: Loss | undefined): AntiphonError {
  if (thrown instanceof AntiphonError) return thrown;
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const { code } = fieldsOf(thrown);
  const details = { cause: thrown, ...(code === undefined ? {} : { vendorCode: String(code) }) };
  if (!loss) return new AntiphonError(codeOf(thrown) ?? "SERVER_ERROR", words, details);
  const doubt = loss === "midway" ? " during the call, which may or may not have taken effect" : "";
  return new AntiphonError("CONNECTION_ERROR", `The connection to the MCP server was lost${doubt} (${words}).`, details);
}
