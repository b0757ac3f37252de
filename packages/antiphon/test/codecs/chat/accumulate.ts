import { isObject, type JsonObject } from "../../../src/model/guards.ts";

/**
 * Puts a stream's chunks together into the plain answer, the way that clients of the wire do it: strings grow, calls by their
 * index, lists by their elements. An oracle for the decoder, which shares no code with it.
 */
export function accumulate(chunks: readonly unknown[]): JsonObject {
  const reply: JsonObject = { object: "chat.completion" };
  const choices: JsonObject[] = [];
  for (const chunk of chunks.filter(isObject)) {
    for (const [field, value] of Object.entries(chunk))
      if (field !== "choices" && field !== "object" && value !== null && (field !== "id" || !reply["id"])) reply[field] = value;
    for (const choice of list(chunk["choices"])) addChoice(choices, choice);
  }
  return { ...reply, choices: choices.filter(Boolean) };
}

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

function addChoice(choices: JsonObject[], choice: JsonObject): void {
  const index = typeof choice["index"] === "number" ? choice["index"] : 0;
  const known = (choices[index] ??= { index, message: {} });
  if (choice["finish_reason"]) known["finish_reason"] = choice["finish_reason"];
  if (isObject(choice["content_filter_results"]))
    known["content_filter_results"] = { ...(known["content_filter_results"] as object), ...choice["content_filter_results"] };
  if (isObject(choice["logprobs"])) known["logprobs"] = joined(known["logprobs"], choice["logprobs"]);
  if (isObject(choice["delta"])) addDelta(known["message"] as JsonObject, choice["delta"]);
}

function joined(known: unknown, logprobs: JsonObject): JsonObject {
  const before = isObject(known) ? list(known["content"]) : [];
  return { content: [...before, ...list(logprobs["content"])] };
}

function addDelta(message: JsonObject, delta: JsonObject): void {
  for (const [field, value] of Object.entries(delta)) {
    if (value === null) continue;
    if (field === "tool_calls") list(value).forEach((call, at) => addCall((message[field] ??= []) as JsonObject[], call, at));
    else if (field === "role") message[field] = value;
    else if (typeof value === "string" && Array.isArray(message[field]))
      message[field] = [...(message[field] as unknown[]), { type: "text", text: value }];
    else if (typeof value === "string") message[field] = `${(message[field] as string | undefined) ?? ""}${value}`;
    else if (Array.isArray(value)) message[field] = [...contentList(message[field]), ...value];
    else if (field === "audio" && isObject(value)) message[field] = joinedAudio(message[field], value);
    else message[field] = value;
  }
}

function joinedAudio(known: unknown, audio: JsonObject): JsonObject {
  const before = isObject(known) ? known : {};
  const grown = ["data", "transcript"].flatMap((name) =>
    typeof audio[name] === "string" ? [[name, `${(before[name] as string | undefined) ?? ""}${audio[name]}`]] : [],
  );
  return { ...before, ...audio, ...Object.fromEntries(grown) };
}

const contentList = (known: unknown): unknown[] => {
  if (Array.isArray(known)) return known;
  return typeof known === "string" && known !== "" ? [{ type: "text", text: known }] : [];
};

function addCall(calls: JsonObject[], delta: JsonObject, at: number): void {
  const known = calls.find((call) => call["index"] === (delta["index"] ?? at));
  if (!known) return void calls.push({ index: at, ...structuredClone(delta) });
  const into = (known["function"] ??= {}) as JsonObject;
  const said = isObject(delta["function"]) ? delta["function"] : {};
  if (typeof said["arguments"] === "string")
    into["arguments"] = `${(into["arguments"] as string | undefined) ?? ""}${said["arguments"]}`;
  if (said["name"]) into["name"] ??= said["name"];
}
