import { AntiphonError } from "../../core/error.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CodeInterpreterCall, InputContent, InputItem } from "../../model/index.ts";
import { toDataUrl } from "../shared/media.ts";
import { fromInline, fromUri } from "./media.ts";
import { reasoningOf, sealSignature, signatureIn, type SignatureKind } from "./signatures.ts";
import { objectIn, objectsIn, stringIn, textIn } from "./wire.ts";
import { field } from "./lenient.ts";

type UserArm = (reader: ContentsReader, value: JsonObject, path: string) => void;
type ModelArm = (reader: ContentsReader, value: JsonObject, part: JsonObject, path: string) => void;

const refuse = (param: string, message: string): never => {
  throw new AntiphonError("BAD_REQUEST", message, { param });
};

interface OpenCall {
  name: string;
  call_id: string;
}

/** Reads a conversation: contents of parts become items. */
export class ContentsReader {
  readonly #items: InputItem[] = [];
  /** Calls that no result answered yet; where there are no ids, results answer the calls of their name in order. */
  readonly #calls: OpenCall[] = [];
  #user: InputContent[] = [];
  #said: { type: "output_text"; text: string }[] = [];
  #thoughts: string[] = [];
  #code: CodeInterpreterCall | undefined;
  /** The part is the first one of its content. */
  #goesOn = false;
  #made = 0;

  read(contents: unknown): InputItem[] {
    // A lone content, without a list around it, is what some clients send.
    const list = Array.isArray(contents) ? contents : [contents];
    list.forEach((content: unknown, index) => this.#content(content, `contents[${index}]`));
    this.#endModel();
    return this.#items;
  }

  #content(content: unknown, path: string): void {
    if (!isObject(content)) return refuse(path, `\`${path}\` must be an object with parts.`);
    const role = content["role"] ?? "user";
    const parts = objectsIn(content["parts"]);
    if (role === "model") {
      // Google's own clients keep each chunk of a streamed answer as a content of its own: its text goes on where the last one ended.
      this.#goesOn = true;
      parts.forEach((part, index) => this.#modelPart(part, `${path}.parts[${index}]`));
      return;
    }
    this.#endModel();
    if (role === "user" || role === "function" || role === "tool") {
      parts.forEach((part, index) => this.#userPart(part, `${path}.parts[${index}]`));
      this.#endUser();
    } else if (role === "system") {
      const text = parts.map((part) => stringIn(part["text"]) ?? "").join("");
      this.#items.push({ type: "message", role: "system", content: text });
    } else refuse(`${path}.role`, `\`${path}.role\` must be \`user\` or \`model\`.`);
  }

  #userPart(part: JsonObject, path: string): void {
    if (typeof part["text"] === "string") {
      this.#user.push({ type: "input_text", text: part["text"] });
      return;
    }
    for (const [name, arm] of ContentsReader.#userArms) {
      const value = field(part, name);
      if (isObject(value)) return arm(this, value, path);
    }
    if (Object.keys(part).length > 0) refuse(path, `\`${path}\` is not a part that a user's turn can contain.`);
  }

  static readonly #userArms: readonly (readonly [string, UserArm])[] = [
    ["inlineData", (reader, value) => reader.#user.push(inlineContent(value))],
    ["fileData", (reader, value) => reader.#user.push(uriContent(value))],
    ["functionResponse", (reader, value, path) => reader.#functionResponse(value, path)],
  ];

  #endUser(): void {
    if (this.#user.length > 0) this.#items.push({ type: "message", role: "user", content: this.#user });
    this.#user = [];
  }

  #functionResponse(value: JsonObject, path: string): void {
    this.#endUser();
    const name =
      textIn(value["name"]) ??
      refuse(`${path}.functionResponse.name`, "A function response must contain the name of its function.");
    const id = textIn(value["id"]);
    const at = this.#calls.findIndex((call) => (id === undefined ? call.name === name : call.call_id === id));
    const found = at === -1 ? undefined : this.#calls.splice(at, 1)[0];
    const call_id = found?.call_id ?? id ?? refuse(path, `This function response has no matching call of "${name}".`);
    const { output, failed } = outputOf(objectIn(value["response"]));
    const media = objectsIn(value["parts"]).flatMap((part) => {
      const inline = field(part, "inlineData");
      const file = field(part, "fileData");
      return isObject(inline) ? [inlineContent(inline)] : isObject(file) ? [uriContent(file)] : [];
    });
    const text: InputContent[] = output === "" ? [] : [{ type: "input_text", text: output }];
    this.#items.push({
      type: "function_call_output",
      call_id,
      output: media.length > 0 ? [...text, ...media] : output,
      ...(failed && { status: "incomplete" as const }),
    });
  }

  #modelPart(part: JsonObject, path: string): void {
    const signature = signatureIn(field(part, "thoughtSignature"));
    if (typeof part["text"] === "string") return this.#modelText(part["text"], part["thought"] === true, signature);
    for (const [name, arm] of ContentsReader.#modelArms) {
      const value = field(part, name);
      if (isObject(value)) return arm(this, value, part, path);
    }
    if (Object.keys(part).length === 0) return;
    this.#begin("part", undefined);
    this.#items.push({ type: "google:part", id: `part_${++this.#made}`, status: "completed", part });
  }

  static readonly #modelArms: readonly (readonly [string, ModelArm])[] = [
    ["functionCall", (reader, value, part, path) => reader.#functionCall(value, part, path)],
    ["executableCode", (reader, value, part) => reader.#executableCode(value, part)],
    ["codeExecutionResult", (reader, value, part) => reader.#executionResult(value, part)],
    ["inlineData", (reader, value, part) => reader.#inlineData(value, part)],
    ["fileData", (reader, value, part) => reader.#fileData(value, part)],
    ["functionResponse", (reader, value, _, path) => reader.#serverResponse(value, path)],
    ["toolCall", (reader, _, part) => reader.#serverTool(part)],
    ["toolResponse", (reader, _, part) => reader.#serverTool(part)],
  ];

  #modelText(text: string, thought: boolean, signature: string | undefined): void {
    this.#code = undefined;
    if (thought) {
      this.#endSaid();
      if (text !== "") this.#think(text);
      if (signature !== undefined) this.#sign("thought", signature);
    } else if (text !== "") {
      if (signature !== undefined || this.#thoughts.length > 0) this.#begin("text", signature);
      this.#say(text);
    } else if (signature !== undefined) this.#begin("part", signature);
  }

  #think(text: string): void {
    const last = this.#thoughts.length - 1;
    if (this.#goesOn && last >= 0) this.#thoughts[last] += text;
    else this.#thoughts.push(text);
    this.#goesOn = false;
  }

  #say(text: string): void {
    const last = this.#said.at(-1);
    if (this.#goesOn && last) last.text += text;
    else this.#said.push({ type: "output_text", text });
    this.#goesOn = false;
  }

  #sign(kind: SignatureKind, signature: string): void {
    this.#items.push(reasoningOf(signature, kind, this.#thoughts));
    this.#thoughts = [];
  }

  /** Ends what the part before was a piece of, and keeps the signature and the thoughts that come before the next. */
  #begin(kind: SignatureKind, signature: string | undefined): void {
    this.#code = undefined;
    this.#endSaid();
    if (signature !== undefined) return this.#sign(kind, signature);
    if (this.#thoughts.length > 0) this.#sign("thought", "");
  }

  #endSaid(): void {
    if (this.#said.length > 0) this.#items.push({ type: "message", role: "assistant", content: this.#said });
    this.#said = [];
  }

  #endModel(): void {
    this.#begin("part", undefined);
  }

  #functionCall(value: JsonObject, part: JsonObject, path: string): void {
    this.#begin("call", signatureIn(field(part, "thoughtSignature")));
    const name =
      textIn(value["name"]) ?? refuse(`${path}.functionCall.name`, "A function call must contain the name of its function.");
    const call_id = textIn(value["id"]) ?? `call_${++this.#made}`;
    this.#calls.push({ name, call_id });
    this.#items.push({ type: "function_call", call_id, name, arguments: JSON.stringify(objectIn(value["args"])) });
  }

  #executableCode(value: JsonObject, part: JsonObject): void {
    this.#begin("code", signatureIn(field(part, "thoughtSignature")));
    const id = `ci_${textIn(value["id"]) ?? ++this.#made}`;
    const code = stringIn(value["code"]) ?? "";
    this.#code = { type: "code_interpreter_call", id, status: "completed", container_id: "", code, outputs: null };
    this.#items.push(this.#code);
  }

  #executionResult(value: JsonObject, part: JsonObject): void {
    if (!this.#code) this.#executableCode({}, {});
    const logs = textIn(value["output"]);
    this.#code!.outputs = logs === undefined ? [] : [{ type: "logs", logs }];
    if (value["outcome"] !== "OUTCOME_OK") this.#code!.status = "failed";
    const signature = signatureIn(field(part, "thoughtSignature"));
    if (signature !== undefined) this.#begin("result", signature);
  }

  #inlineData(value: JsonObject, part: JsonObject): void {
    const mediaType = stringIn(field(value, "mimeType")) ?? "application/octet-stream";
    const data = stringIn(value["data"]) ?? "";
    const isPicture = mediaType.startsWith("image/") && part["thought"] !== true;
    if (isPicture && this.#code?.outputs)
      return void this.#code.outputs.push({ type: "image", url: toDataUrl({ mediaType, data }) });
    this.#begin("media", signatureIn(field(part, "thoughtSignature")));
    const id = `media_${++this.#made}`;
    const thought = part["thought"] === true ? { thought: true } : {};
    this.#items.push(
      isPicture
        ? {
            type: "image_generation_call",
            id,
            status: "completed",
            result: data,
            output_format: mediaType.slice("image/".length),
          }
        : { type: "google:media", id, status: "completed", mime_type: mediaType, data, ...thought },
    );
  }

  #fileData(value: JsonObject, part: JsonObject): void {
    this.#begin("media", signatureIn(field(part, "thoughtSignature")));
    const mime_type = stringIn(field(value, "mimeType")) ?? "application/octet-stream";
    const uri = stringIn(field(value, "fileUri")) ?? "";
    this.#items.push({ type: "google:media", id: `media_${++this.#made}`, status: "completed", mime_type, uri });
  }

  /** The result of a call that the server made itself stands in the model's own turn. */
  #serverResponse(value: JsonObject, path: string): void {
    this.#begin("part", undefined);
    this.#functionResponse(value, path);
  }

  #serverTool(part: JsonObject): void {
    this.#begin("part", undefined);
    this.#items.push({ type: "reasoning", summary: [], encrypted_content: sealSignature("tool", JSON.stringify(part)) });
  }
}

function inlineContent(value: JsonObject): InputContent {
  const mediaType = stringIn(field(value, "mimeType")) ?? "application/octet-stream";
  return fromInline(mediaType, stringIn(value["data"]) ?? "", textIn(field(value, "displayName")));
}

function uriContent(value: JsonObject): InputContent {
  return fromUri(
    stringIn(field(value, "fileUri")) ?? "",
    stringIn(field(value, "mimeType")) ?? "",
    textIn(field(value, "displayName")),
  );
}

/** A function's result as text; a client may name it, or an error, or give it as it is. */
function outputOf(response: JsonObject): { output: string; failed: boolean } {
  const keys = Object.keys(response);
  const only = keys.length === 1 ? keys[0] : undefined;
  if (only !== "output" && only !== "error") return { output: JSON.stringify(response), failed: false };
  const value = response[only];
  return { output: typeof value === "string" ? value : JSON.stringify(value), failed: only === "error" };
}
