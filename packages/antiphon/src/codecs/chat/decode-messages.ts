import { isObject, own, type JsonObject } from "../../model/guards.ts";
import type { AssistantMessageParam, InputItem, ReasoningParam } from "../../model/index.ts";
import { seal } from "../shared/envelope.ts";
import { given, listAt, objectAt, refuse, stringAt } from "./check.ts";
import { decodeContent, decodeText } from "./decode-content.ts";
import { audioItem, blobFormat } from "./own-words.ts";

/** What messages are in the common vocabulary. */
export interface DecodedMessages {
  instructions?: string;
  input: InputItem[];
}

/**
 * Reads `messages`. A system message at the very head is the instructions; every other message becomes the items that it stands
 * for, in order.
 */
export function decodeMessages(raw: unknown): DecodedMessages {
  const messages = listAt(raw, "messages").map((message, index) => objectAt(message, `messages[${index}]`));
  if (messages.length === 0) refuse("messages", "a list of at least one message");
  const reader = new MessageReader();
  const input = messages.flatMap((message, index) => reader.read(message, `messages[${index}]`));
  const [first] = messages;
  if (first?.["role"] !== "system") return { input };
  const instructions = decodeText(first["content"], "messages[0].content");
  return { ...(instructions ? { instructions } : {}), input: input.slice(1) };
}

type Read = (message: JsonObject, param: string) => InputItem[];

class MessageReader {
  /** The calls of free-form tools, whose results are items of another type. */
  readonly #custom = new Set<string>();
  /** The id of the newest call of the old kind, which has none of its own. */
  #called = "";
  /** The calls of the newest assistant message that have no result yet. */
  #pending: string[] = [];

  readonly #roles: Readonly<Record<string, Read>> = {
    system: ({ content }, param) => [{ type: "message", role: "system", content: decodeText(content, `${param}.content`) }],
    developer: ({ content }, param) => [{ type: "message", role: "developer", content: decodeText(content, `${param}.content`) }],
    user: ({ content }, param) => [{ type: "message", role: "user", content: decodeContent(content, `${param}.content`) }],
    assistant: (message, param) => this.#assistant(message, param),
    tool: ({ content, tool_call_id }, param) => {
      // Z.AI takes results without an id, in the order of the calls.
      const call_id = stringAt(tool_call_id ?? this.#pending[0], `${param}.tool_call_id`);
      this.#pending = this.#pending.filter((id) => id !== call_id);
      const output = given(content) ? decodeContent(content, `${param}.content`) : "";
      if (this.#custom.has(call_id)) return [{ type: "custom_tool_call_output", call_id, output }];
      return [{ type: "function_call_output", call_id, output }];
    },
    function: ({ content }) => [
      { type: "function_call_output", call_id: this.#called, output: typeof content === "string" ? content : "" },
    ],
  };

  read(message: JsonObject, param: string): InputItem[] {
    const role = stringAt(message["role"], `${param}.role`);
    if (given(message["images"])) refuse(`${param}.images`, "omitted: put images into `content`");
    const read = own(this.#roles, role);
    return read ? read(message, param) : refuse(`${param}.role`, `one of ${Object.keys(this.#roles).join(", ")}`);
  }

  #assistant(message: JsonObject, param: string): InputItem[] {
    const { tool_calls, function_call, audio } = message;
    const calls = given(tool_calls) ? listAt(tool_calls, `${param}.tool_calls`) : [];
    this.#pending = [];
    return [
      ...reasoningOf(message),
      ...spokenOf(message, param),
      ...(isObject(audio) && typeof audio["id"] === "string" ? [{ type: audioItem, id: audio["id"] }] : []),
      ...calls.map((call, index) => this.#call(objectAt(call, `${param}.tool_calls[${index}]`), `${param}.tool_calls[${index}]`)),
      ...(isObject(function_call) ? [this.#functionCall(function_call, param)] : []),
    ];
  }

  #call(call: JsonObject, param: string): InputItem {
    const call_id = stringAt(call["id"], `${param}.id`);
    this.#pending.push(call_id);
    if (isObject(call["custom"])) {
      this.#custom.add(call_id);
      const { name, input } = call["custom"];
      const at = `${param}.custom`;
      return { type: "custom_tool_call", call_id, name: stringAt(name, `${at}.name`), input: stringAt(input, `${at}.input`) };
    }
    const said = objectAt(call["function"], `${param}.function`);
    return { type: "function_call", call_id, ...calledFunction(said, `${param}.function`) };
  }

  #functionCall(call: JsonObject, param: string): InputItem {
    this.#called = `call_${param.replaceAll(/\D/g, "")}`;
    return { type: "function_call", call_id: this.#called, ...calledFunction(call, `${param}.function_call`) };
  }
}

const calledFunction = (said: JsonObject, param: string): { name: string; arguments: string } => ({
  name: stringAt(said["name"], `${param}.name`),
  arguments: isObject(said["arguments"]) ? JSON.stringify(said["arguments"]) : stringAt(said["arguments"], `${param}.arguments`),
});

/** What an earlier answer said. */
function spokenOf({ content, refusal }: JsonObject, param: string): InputItem[] {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const declined = typeof refusal === "string" ? refusal : parts.map((part) => textOf(part["refusal"])).join("");
  const text = typeof content === "string" ? content : parts.map((part) => textOf(part["text"])).join("");
  if (given(content) && typeof content !== "string" && !Array.isArray(content)) refuse(`${param}.content`, "a string or a list");
  if (!text && !declined) return [];
  const said: AssistantMessageParam["content"] = declined
    ? [...(text ? [{ type: "output_text" as const, text }] : []), { type: "refusal", refusal: declined }]
    : text;
  return [{ type: "message", role: "assistant", content: said }];
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What an earlier answer thought, in whichever field the client kept it. */
function reasoningOf(message: JsonObject): InputItem[] {
  const details = Array.isArray(message["reasoning_details"]) ? message["reasoning_details"].filter(isObject) : [];
  const inside = Array.isArray(message["content"]) ? message["content"].filter(isObject).map(thinkingIn).join("") : "";
  const plain = textOf(message["reasoning_content"]) || textOf(message["reasoning"]) || inside;
  const text = plain.trim() || details.length === 0 ? plain : textsOf(details, "reasoning.text", "text");
  const summary = plain ? "" : textsOf(details, "reasoning.summary", "summary");
  const blob = blobOf(details);
  // A space stands in for thoughts where a server demands some.
  if (!text.trim() && !summary && !blob) return [];
  const item: ReasoningParam = { type: "reasoning", summary: summary ? [{ type: "summary_text", text: summary }] : [] };
  if (text.trim()) item.content = [{ type: "reasoning_text", text }];
  if (blob) item.encrypted_content = blob;
  return [item];
}

function thinkingIn({ thinking }: JsonObject): string {
  if (typeof thinking === "string") return thinking;
  return Array.isArray(thinking)
    ? thinking
        .filter(isObject)
        .map((thought) => textOf(thought["text"]))
        .join("")
    : "";
}

const textsOf = (details: readonly JsonObject[], type: string, field: string): string =>
  details.map((detail) => (detail["type"] === type ? textOf(detail[field]) : "")).join("");

/** A blob that we gave out comes back as it was; details of any other making are the one router's that has them. */
function blobOf(details: readonly JsonObject[]): string | undefined {
  const ours = details.find((detail) => detail["format"] === blobFormat);
  if (ours) return textOf(ours["data"]);
  if (details.length === 0) return undefined;
  return seal({ wire: "chat.openrouter", kind: "reasoning_details", data: JSON.stringify(details) });
}
