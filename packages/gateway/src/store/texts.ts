import type { InputItem, ResponseResource } from "antiphon";
import { responseJson, type ResponseJson } from "antiphon/codecs/responses";
import type { StoredConversation, StoredKey, StoredResponse, Turn } from "./store.ts";

/** What of a response may grow large, as JSON, each part by itself: a chain needs only the items. */
export interface ResponseTexts {
  request: string;
  input: string;
  response: string;
  output: string;
}

type Status = ResponseResource["status"];

/** A response as a table holds it. */
export interface ResponseRow extends ResponseTexts {
  id: string;
  owner: string;
  previous: string | null;
  conversation: string | null;
  /** SQLite has no truth values. */
  background: boolean | number;
}

/** The states of a response that another may follow. */
const openStatuses: readonly Status[] = ["queued", "in_progress"];

/** The same for a statement: `status IN ${openList}`. */
export const openList = `(${openStatuses.map((status) => `'${status}'`).join(", ")})`;

/** Whether a response has come to its end. */
export const isFinal = (status: Status): boolean => !openStatuses.includes(status);

/** The state of a response as it is kept: `json` is what it is as JSON, where that is known. */
export function stateTexts(
  response: ResponseResource,
  json: ResponseJson = responseJson(response),
): Pick<ResponseTexts, "response" | "output"> {
  return { response: json.shell, output: json.output };
}

/** A response as it is kept: `json` is what its state is as JSON, where that is known. */
export function responseTexts({ request, input, response }: StoredResponse, json?: ResponseJson): ResponseTexts {
  const state = stateTexts(response, json);
  return { request: JSON.stringify(request), input: JSON.stringify(input), response: state.response, output: state.output };
}

// What the tables hold was written by the functions above: it is of the type that was put in.

export const responseFrom = ({ response, output }: Pick<ResponseTexts, "response" | "output">): ResponseResource => ({
  ...(JSON.parse(response) as ResponseResource),
  output: JSON.parse(output) as ResponseResource["output"],
});

export const storedFrom = (row: ResponseRow): StoredResponse => ({
  id: row.id,
  owner: row.owner,
  request: JSON.parse(row.request) as StoredResponse["request"],
  input: itemsFrom(row.input),
  previous: row.previous,
  conversation: row.conversation,
  background: Boolean(row.background),
  response: responseFrom(row),
});

export const turnFrom = (row: { id: string; status: string; input: string; output: string }): Turn => ({
  id: row.id,
  status: row.status as Status,
  input: itemsFrom(row.input),
  output: itemsFrom(row.output),
});

const itemsFrom = (text: string): InputItem[] => JSON.parse(text) as InputItem[];

export const itemFrom = (text: string): InputItem => JSON.parse(text) as InputItem;

/** A conversation as a table holds it. */
export interface ConversationRow {
  id: string;
  owner: string;
  created_at: number;
  metadata: string;
}

export const conversationFrom = ({ id, owner, created_at, metadata }: ConversationRow): StoredConversation => ({
  id,
  owner,
  created_at,
  metadata: JSON.parse(metadata) as Record<string, string>,
});

/** A key as a table holds it: what changes stands beside the rest. */
export interface KeyRow {
  spent: number;
  revoked: boolean | number;
  data: string;
}

export const keyFrom = ({ spent, revoked, data }: KeyRow): StoredKey => ({
  ...(JSON.parse(data) as StoredKey),
  spent,
  revoked: Boolean(revoked),
});
