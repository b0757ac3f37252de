import type { Writer } from "../../core/writer.ts";
import { isObject, type JsonObject } from "../../model/guards.ts";
import type { CodeInterpreterCall, LogProb } from "../../model/index.ts";
import type { Ctx } from "../codec.ts";
import { CustomInput } from "../shared/custom-input.ts";
import { toDataUrl } from "../shared/media.ts";
import { joinBase64 } from "./base64.ts";
import { withExtra } from "./extension.ts";
import { searchAction } from "./grounding.ts";
import { PartialArgs } from "./partial-args.ts";
import { sealSignature, type SignatureKind } from "./signatures.ts";
import type { ToolSet } from "./tool-set.ts";
import { objectIn, stringIn, stringsIn, textIn } from "./wire.ts";

type Arm = (reader: PartReader, value: JsonObject, part: JsonObject) => void;

const message = "message";
const thinking = "thinking";
const code = "code";
const mcp = "mcp";

/** The empty envelope of a thought without a signature: it tells whose thought it is. */
const unsigned = { encrypted_content: sealSignature("thought", "") };

/** Turns the parts of an answer into a writer's verbs. */
export class PartReader {
  /** Whether a call of the caller's tools was made. */
  hasCalls = false;
  /** Whether a web search was told of already, by a part of its own. */
  hasSearch = false;
  /** Keeps a message open after its text, since its citations are still to come. */
  keepsMessages: boolean;
  readonly #ctx: Ctx;
  readonly #writer: Writer;
  readonly #tools: ToolSet;
  /** The text of the message that is open, and of all messages before it. */
  #said = "";
  #before = "";
  /** The open message must not be continued: a signature ended it, or another item has begun since. */
  #left: "signed" | "passed" | undefined;
  #outputs: NonNullable<CodeInterpreterCall["outputs"]> | undefined;
  #media: { mimeType: string; chunks: string[] } | undefined;
  #partial: { call: JsonObject; part: JsonObject; args: PartialArgs } | undefined;
  #calls = 0;

  constructor(ctx: Ctx, writer: Writer, tools: ToolSet, keepsMessages: boolean) {
    this.#ctx = ctx;
    this.#writer = writer;
    this.#tools = tools;
    this.keepsMessages = keepsMessages;
  }

  /** The text of the open message, and of those before it. */
  get text(): { open: string; before: string } {
    return { open: this.#said, before: this.#before };
  }

  read(part: JsonObject, logprobs?: LogProb[]): void {
    const { text } = part;
    if (typeof text === "string") return this.#readText(text, part, logprobs);
    for (const [field, arm] of PartReader.#arms) {
      const value = part[field];
      if (isObject(value)) return arm(this, value, part);
    }
    this.#unknown(part);
  }

  /** Fills in what open items still lack, before the answer's end closes them. A call of which only a piece came is never told. */
  settle(): void {
    if (this.#writer.isOpen(thinking)) this.#writer.set(thinking, unsigned);
    if (this.#media) this.#writer.set("media", { data: joinBase64(this.#media.chunks) });
  }

  /** Closes a message that is whole, since other items came after it; the last one shares the fate of the answer. */
  endPassed(): void {
    if (this.#left === "passed") this.#closeMessage();
  }

  static readonly #arms: readonly (readonly [string, Arm])[] = [
    ["functionCall", (reader, value, part) => reader.#functionCall(value, part)],
    ["functionResponse", (reader, value, part) => reader.#functionResponse(value, part)],
    ["executableCode", (reader, value, part) => reader.#executableCode(value, part)],
    ["codeExecutionResult", (reader, value, part) => reader.#executionResult(value, part)],
    ["inlineData", (reader, value, part) => reader.#inlineData(value, part)],
    ["fileData", (reader, value, part) => reader.#fileData(value, part)],
    ["toolCall", (reader, value, part) => reader.#toolCall(value, part)],
    ["toolResponse", (reader, _, part) => reader.#serverTool(part)],
  ];

  #readText(text: string, part: JsonObject, logprobs?: LogProb[]): void {
    const signature = textIn(part["thoughtSignature"]);
    if (part["thought"] === true) this.#thought(text, signature);
    else if (text !== "") this.#text(text, signature, logprobs);
    else if (signature !== undefined) {
      this.#endTools();
      this.#sign("part", signature);
      this.#left ??= "signed";
    }
  }

  #text(text: string, signature?: string, logprobs?: LogProb[]): void {
    this.#endTools();
    if (signature === undefined) this.#endThought();
    if (this.#left || signature !== undefined) this.#closeMessage();
    if (signature !== undefined) this.#sign("text", signature);
    this.#writer.text(text, message, logprobs);
    this.#said += text;
  }

  #thought(text: string, signature?: string): void {
    this.#endTools();
    this.#leaveMessage();
    this.#writer.summary(text, thinking);
    if (signature !== undefined) this.#sign("thought", signature);
  }

  /** Ends a thought that has no signature. */
  #endThought(): void {
    if (!this.#writer.isOpen(thinking)) return;
    this.settle();
    this.#writer.close(thinking);
  }

  /** Keeps a signature: with the thought that is open, else in an item of its own. */
  #sign(kind: SignatureKind, data: string): void {
    const encrypted_content = sealSignature(kind, data);
    if (this.#writer.isOpen(thinking)) {
      this.#writer.set(thinking, { encrypted_content });
      return this.#writer.close(thinking);
    }
    const id = this.#ctx.newId("rs");
    this.#writer.item({ type: "reasoning", id, status: "completed", summary: [], encrypted_content });
  }

  /** What comes now is no text: the message is closed, or left open for its citations. */
  #leaveMessage(): void {
    if (this.keepsMessages) this.#left = "passed";
    else this.#closeMessage();
  }

  #closeMessage(): void {
    this.#writer.close(message);
    this.#before += this.#said;
    this.#said = "";
    this.#left = undefined;
  }

  /** Makes room for an item that is neither text nor thought. */
  #begin(kind: SignatureKind, part: JsonObject): void {
    const signature = textIn(part["thoughtSignature"]);
    this.#endTools();
    this.#leaveMessage();
    if (signature === undefined) this.#endThought();
    else this.#sign(kind, signature);
  }

  #endTools(): void {
    this.#endCode();
    this.#endMedia();
  }

  #functionCall(call: JsonObject, part: JsonObject): void {
    const going = call["willContinue"] === true;
    if (!this.#partial && !going) return this.#call(call, part, objectIn(call["args"]));
    // The name and the signature come first, the arguments one by one, an empty piece last.
    this.#partial ??= { call, part, args: new PartialArgs() };
    this.#partial.args.push(call["partialArgs"]);
    if (going) return;
    const { call: begun, part: first, args } = this.#partial;
    this.#partial = undefined;
    this.#call(begun, first, args.args);
  }

  #call(call: JsonObject, part: JsonObject, args: JsonObject): void {
    const name = stringIn(call["name"]) ?? "";
    if (name === this.#tools.answer) return this.#text(JSON.stringify(args));
    this.#begin("call", part);
    const json = JSON.stringify(args);
    const label = this.#tools.mcpLabels.find((one) => name.startsWith(`${one}_`));
    if (label !== undefined) return this.#mcpCall(label, name.slice(label.length + 1), json);
    this.hasCalls = true;
    const { kind, ...tool } = this.#tools.names.fromWire(name);
    const key = `call-${++this.#calls}`;
    const start = { call_id: textIn(call["id"]) ?? this.#ctx.newId("call"), ...tool };
    if (kind === "custom") {
      const input = new CustomInput();
      this.#writer.customCall(key, start);
      this.#writer.args(key, input.push(json) + input.end());
    } else {
      this.#writer.call(key, start);
      this.#writer.args(key, json);
    }
    this.#writer.close(key);
  }

  #mcpCall(server_label: string, name: string, args: string): void {
    this.#writer.close(mcp);
    const id = this.#ctx.newId("mcp");
    this.#writer.open(mcp, { type: "mcp_call", id, server_label, name, arguments: "", status: "in_progress" });
    this.#writer.args(mcp, args);
  }

  /** The answer of a tool that the provider called itself. */
  #functionResponse(answer: JsonObject, part: JsonObject): void {
    if (!this.#writer.isOpen(mcp)) return this.#unknown(part);
    const response = objectIn(answer["response"]);
    const output = stringIn(response["result"]) ?? JSON.stringify(response);
    this.#writer.set(mcp, { output, ...withExtra("response", response) });
    this.#writer.close(mcp);
  }

  #executableCode(value: JsonObject, part: JsonObject): void {
    this.#begin("code", part);
    const wireId = textIn(value["id"]);
    const id = wireId === undefined ? this.#ctx.newId("ci") : `ci_${wireId}`;
    const item = { type: "code_interpreter_call", id, container_id: "", code: "", outputs: null } as const;
    this.#writer.open(code, { ...item, status: "in_progress" });
    this.#writer.args(code, stringIn(value["code"]) ?? "");
    this.#writer.stage(code, "response.code_interpreter_call.interpreting");
  }

  #executionResult(value: JsonObject, part: JsonObject): void {
    if (!this.#writer.isOpen(code)) this.#executableCode({}, {});
    const logs = textIn(value["output"]);
    this.#outputs = logs === undefined ? [] : [{ type: "logs", logs }];
    this.#writer.set(code, { outputs: this.#outputs, status: value["outcome"] === "OUTCOME_OK" ? "completed" : "failed" });
    const signature = textIn(part["thoughtSignature"]);
    if (signature === undefined) return;
    this.#endCode();
    this.#sign("result", signature);
  }

  #endCode(): void {
    this.#outputs = undefined;
    this.#writer.close(code);
  }

  #inlineData(value: JsonObject, part: JsonObject): void {
    const mediaType = stringIn(value["mimeType"]) ?? "application/octet-stream";
    const data = stringIn(value["data"]) ?? "";
    const isPicture = mediaType.startsWith("image/") && part["thought"] !== true;
    if (isPicture && this.#outputs) {
      // A plot that the code drew follows its printed output.
      this.#outputs = [...this.#outputs, { type: "image", url: toDataUrl({ mediaType, data }) }];
      return this.#writer.set(code, { outputs: this.#outputs });
    }
    if (!isPicture) return this.#mediaChunk(mediaType, data, part);
    this.#begin("media", part);
    const id = this.#ctx.newId("ig");
    const output_format = mediaType.slice("image/".length);
    this.#writer.item({ type: "image_generation_call", id, status: "completed", result: data, output_format });
  }

  /** Sound comes in pieces that are one recording. */
  #mediaChunk(mimeType: string, data: string, part: JsonObject): void {
    if (this.#media?.mimeType === mimeType && textIn(part["thoughtSignature"]) === undefined) {
      this.#media.chunks.push(data);
      return;
    }
    this.#begin("media", part);
    this.#media = { mimeType, chunks: [data] };
    const thought = part["thought"] === true ? { thought: true } : {};
    const item = { type: "google:media", id: this.#ctx.newId("media"), status: "in_progress", mime_type: mimeType } as const;
    this.#writer.open("media", { ...item, ...thought });
  }

  #endMedia(): void {
    if (!this.#media) return;
    this.settle();
    this.#writer.close("media");
    this.#media = undefined;
  }

  #fileData(value: JsonObject, part: JsonObject): void {
    this.#begin("media", part);
    const mime_type = stringIn(value["mimeType"]) ?? "application/octet-stream";
    const uri = stringIn(value["fileUri"]) ?? "";
    this.#writer.item({ type: "google:media", id: this.#ctx.newId("media"), status: "completed", mime_type, uri });
  }

  /** A tool that the server runs and shows: its parts must go back as they came. */
  #serverTool(part: JsonObject): void {
    this.#endTools();
    this.#leaveMessage();
    this.#endThought();
    this.#sign("tool", JSON.stringify(part));
  }

  #toolCall(value: JsonObject, part: JsonObject): void {
    this.#serverTool(part);
    const queries = stringsIn(objectIn(value["args"])["queries"]);
    if (value["toolType"] !== "GOOGLE_SEARCH_WEB" || queries.length === 0) return;
    this.hasSearch = true;
    const id = this.#ctx.newId("ws");
    this.#writer.item({ type: "web_search_call", id, status: "completed", action: searchAction(queries, []) });
  }

  #unknown(part: JsonObject): void {
    if (Object.keys(part).length === 0) return;
    this.#endTools();
    this.#leaveMessage();
    this.#endThought();
    this.#writer.item({ type: "google:part", id: this.#ctx.newId("part"), status: "completed", part });
  }
}
