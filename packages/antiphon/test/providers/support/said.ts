import type { Wire } from "../../../src/providers/index.ts";
import type { Recording } from "../../support/recordings.ts";
import { sseValues } from "../../support/sse-values.ts";

/** What a recorded answer says, read the plain way, as an oracle for the codecs. */
export interface Said {
  text: string;
  /** The names of the functions that it calls. */
  calls: string[];
}

interface Part {
  type?: string;
  text?: string;
  thought?: boolean;
  functionCall?: { name: string };
  name?: string;
}

interface ChatMessage {
  content?: string | Part[] | null;
  tool_calls?: { function?: { name?: string } }[] | null;
}

/** The few fields of all wires that the oracle reads. */
interface Value {
  type?: string;
  choices?: { delta?: ChatMessage; message?: ChatMessage }[];
  content?: Part[];
  content_block?: Part;
  delta?: Part;
  candidates?: { content?: { parts?: Part[] } }[];
  output?: { type: string; name?: string; content?: Part[] }[];
  response?: Value;
}

const joined = (parts: readonly Part[]): string => parts.map((part) => part.text ?? "").join("");
const isText = ({ type }: Part): boolean => type === "text" || type === "text_delta" || type === "output_text";

const readers: Readonly<Record<Wire, (value: Value) => Said>> = {
  chat: ({ choices }) => {
    const message = choices?.[0]?.delta ?? choices?.[0]?.message;
    const content = message?.content ?? "";
    const parts = Array.isArray(content) ? content : [{ type: "text", text: JSON.stringify(content) }];
    return {
      text: typeof content === "string" ? content : joined(parts.filter(isText)),
      calls: (message?.tool_calls ?? []).flatMap((call) => call.function?.name || []),
    };
  },
  messages: ({ content = [], content_block, delta }) => {
    const parts = [...content, ...(content_block ? [content_block] : []), ...(delta ? [delta] : [])];
    return {
      text: joined(parts.filter(isText)),
      calls: parts.flatMap(({ type, name }) => (type === "tool_use" && name ? name : [])),
    };
  },
  gemini: ({ candidates }) => {
    const parts = candidates?.[0]?.content?.parts ?? [];
    return {
      text: joined(parts.filter(({ thought }) => !thought)),
      calls: parts.flatMap(({ functionCall }) => functionCall?.name ?? []),
    };
  },
  responses: ({ type, response, output }) => {
    const items = (type === "response.completed" ? response?.output : type ? undefined : output) ?? [];
    return {
      text: items.map((item) => (item.type === "message" ? joined((item.content ?? []).filter(isText)) : "")).join(""),
      calls: items.flatMap((item) => (item.type === "function_call" && item.name ? item.name : [])),
    };
  },
};

/** What a recorded answer of a wire says. */
export function saidIn(wire: Wire, recording: Recording): Said {
  // The recordings are of that wire; what they lack is read as nothing.
  const values = (recording.stream ? sseValues(recording.body()) : [recording.json()]) as Value[];
  const said = values.filter((value) => typeof value === "object" && value !== null).map(readers[wire]);
  const text = said.map((one) => one.text).join("");
  const calls = said.flatMap((one) => one.calls);
  // White space alone beside calls is no part of an answer.
  return { text: calls.length > 0 && text.trim() === "" ? "" : text, calls };
}
