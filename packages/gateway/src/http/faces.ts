import { AntiphonError, type ServerCodec } from "antiphon";
import { chatServer } from "antiphon/codecs/chat";
import { messagesServer } from "antiphon/codecs/messages";
import { responsesServer } from "antiphon/codecs/responses";
import { json, type Reply } from "./exchange.ts";
import { chatFields, messagesFields, type FieldNames } from "./losses.ts";

/** How the gateway shows itself to the clients of one wire. */
export interface Face {
  wire: "responses" | "chat" | "messages";
  codec: ServerCodec;
  /** Whether a failed response is an answer like any other; on the other wires it is an HTTP error. */
  answersFailures: boolean;
  /** Whether responses are stored by default. */
  stores: boolean;
  /** What the API calls the fields of the common vocabulary. */
  fieldNames: FieldNames;
}

export const faces = {
  strict: { wire: "responses", codec: responsesServer("open-responses"), answersFailures: true, stores: true, fieldNames: [] },
  openai: { wire: "responses", codec: responsesServer("openai"), answersFailures: true, stores: true, fieldNames: [] },
  chat: { wire: "chat", codec: chatServer(), answersFailures: false, stores: false, fieldNames: chatFields },
  messages: { wire: "messages", codec: messagesServer(), answersFailures: false, stores: false, fieldNames: messagesFields },
} as const satisfies Record<string, Face>;

/** Any thrown value as the error that a client is told. What is not ours has words that are for the log alone. */
export const publicError = (thrown: unknown): AntiphonError =>
  thrown instanceof AntiphonError
    ? thrown
    : new AntiphonError("SERVER_ERROR", "Internal error in the gateway. Its log has the details.", { cause: thrown });

const ofOurKey: ReadonlySet<string> = new Set(["AUTH_ERROR", "PERMISSION"]);

/**
 * Replaces a provider's 401 or 403 with a 502: the provider rejected the gateway's key, not the client's. Without a
 * status, the provider was never called.
 */
function inOurName(error: AntiphonError): AntiphonError {
  const { provider, code, status } = error;
  if (provider === undefined || !ofOurKey.has(code)) return error;
  const message =
    status === undefined
      ? `The gateway has no valid API key for the provider ${provider}. Check its configuration.`
      : `The provider ${provider} rejected the gateway's API key.`;
  return new AntiphonError("SERVER_ERROR", message, { status: 502, cause: error });
}

/** Returns an error as clients may see it. */
export const clientError = (thrown: unknown): AntiphonError => inOurName(publicError(thrown));

/** An error as a client of a wire reads it. */
export function refuse({ codec }: Face, thrown: unknown): Reply {
  const error = clientError(thrown);
  const { status, body } = codec.encodeError(error);
  const wait = error.retryAfter;
  const headers: Record<string, string> =
    wait === undefined ? {} : { "retry-after": `${Math.ceil(wait / 1000)}`, "retry-after-ms": `${Math.ceil(wait)}` };
  // The official clients retry a 504 unless they are told not to, and each retry would be paid for.
  if (error.code === "TIMEOUT" && error.provider !== undefined) headers["x-should-retry"] = "false";
  // A status that the gateway chose itself says more than the code does.
  return json(error.provider === undefined ? (error.status ?? status) : status, body, headers);
}

const longestShown = 100;

/** The one answer to an id that is not there, or is somebody else's. */
export const notFound = (what: string, id: string): AntiphonError =>
  new AntiphonError("NOT_FOUND", `There is no ${what} ${id.slice(0, longestShown)}.`, { status: 404 });
