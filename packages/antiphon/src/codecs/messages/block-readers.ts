import { CustomInput } from "../shared/custom-input.ts";
import { seal } from "../shared/envelope.ts";
import type { JsonObject } from "../../model/guards.ts";
import type { Compaction, ExtensionItem, Reasoning } from "../../model/index.ts";
import type { Answer } from "./answer.ts";
import { fromWireId } from "./call-ids.ts";
import { extensionType, isBlock, objectIn, prefixed, stringIn, withExtra, type Block } from "./extension.ts";

/** Reads one block of an answer: its beginning made the reader, pieces follow, and its end. */
export interface BlockReader {
  /** Whether its pieces are text for the user. */
  readonly isText?: boolean;
  delta(delta: JsonObject): void;
  stop(): void;
}

/** The reader of a block that begins, or that is there as a whole. */
export function openBlock(answer: Answer, block: Block): BlockReader {
  const open = readers.get(block.type);
  if (open) return open(answer, block);
  return block.type.endsWith("_tool_result") ? wholeResult(answer, block) : wholeBlock(answer, block);
}

type Open = (answer: Answer, block: Block) => BlockReader;

const readers: ReadonlyMap<string, Open> = new Map<string, Open>([
  ["text", (answer, block) => new TextReader(answer, block)],
  ["thinking", (answer, block) => new ThinkingReader(answer, block)],
  ["redacted_thinking", readRedacted],
  ["tool_use", readCall],
  ["server_tool_use", (answer, block) => answer.serverTool(block)],
  ["mcp_tool_use", (answer, block) => answer.serverTool(block)],
  ["compaction", readCompaction],
]);

class TextReader implements BlockReader {
  readonly isText = true;
  readonly #answer: Answer;
  readonly #from: number;
  readonly #citations: Block[];

  constructor(answer: Answer, block: Block) {
    this.#answer = answer;
    this.#from = answer.textLength;
    this.#citations = Array.isArray(block["citations"]) ? block["citations"].filter(isBlock) : [];
    answer.say(stringIn(block["text"]) ?? "");
  }

  delta(delta: JsonObject): void {
    if (typeof delta["text"] === "string") this.#answer.say(delta["text"]);
    else if (isBlock(delta["citation"])) this.#citations.push(delta["citation"]);
  }

  // Citations come before the text that they back, so their span is known only here.
  stop(): void {
    this.#answer.cite(this.#citations, this.#from);
  }
}

class ThinkingReader implements BlockReader {
  readonly #answer: Answer;
  readonly #key: string;
  #signature: string;

  constructor(answer: Answer, block: Block) {
    this.#answer = answer;
    this.#key = openReasoning(answer);
    this.#signature = stringIn(block["signature"]) ?? "";
    this.#think(stringIn(block["thinking"]) ?? "");
  }

  delta(delta: JsonObject): void {
    if (typeof delta["thinking"] === "string") this.#think(delta["thinking"]);
    if (typeof delta["signature"] === "string") this.#signature = delta["signature"];
  }

  stop(): void {
    if (this.#signature) setBlob(this.#answer, this.#key, "signature", this.#signature);
    this.#answer.leaveOpen(this.#key);
  }

  #think(text: string): void {
    if (!text) return;
    if (this.#answer.summarised) this.#answer.writer.summary(text, this.#key);
    else this.#answer.writer.reasoning(text, this.#key);
  }
}

function openReasoning(answer: Answer): string {
  const id = answer.ctx.newId("rs");
  const item: Reasoning = { type: "reasoning", id, status: "in_progress", summary: [] };
  answer.writer.open(id, item);
  return id;
}

const setBlob = (answer: Answer, key: string, kind: string, data: string): void =>
  answer.writer.set(key, { encrypted_content: seal({ wire: answer.dialect.vendor, kind, data }) });

function readRedacted(answer: Answer, block: Block): BlockReader {
  const key = openReasoning(answer);
  setBlob(answer, key, "redacted", stringIn(block["data"]) ?? "");
  return { delta: () => {}, stop: () => answer.leaveOpen(key) };
}

/** Reads JSON that comes in pieces, or that stood in the block's beginning where no piece came. */
export class InputReader implements BlockReader {
  readonly #start: unknown;
  readonly #say: (piece: string) => void;
  readonly #end: (json: string) => void;
  #json = "";

  constructor(start: unknown, say: (piece: string) => void, end: (json: string) => void) {
    this.#start = start;
    this.#say = say;
    this.#end = end;
  }

  delta(delta: JsonObject): void {
    const piece = delta["partial_json"];
    if (typeof piece !== "string" || piece === "") return;
    this.#json += piece;
    this.#say(piece);
  }

  stop(): void {
    if (this.#json === "") this.delta({ partial_json: JSON.stringify(this.#start ?? {}) });
    this.#end(this.#json);
  }
}

/** What a call must go back with, beside its name and input. That the model made it itself is the rule, and not worth a word. */
function ownFields({ type: _, id: __, name: ___, input: ____, ...rest }: Block): JsonObject {
  const { caller, ...other } = rest;
  return prefixed(isBlock(caller) && caller.type === "direct" ? other : rest);
}

function readCall(answer: Answer, block: Block): BlockReader {
  const wireName = stringIn(block["name"]) ?? "";
  if (wireName === answer.answerTool)
    return new InputReader(
      block["input"],
      (piece) => answer.say(piece),
      () => {},
    );
  const call_id = fromWireId(stringIn(block["id"]) ?? answer.ctx.newId("call"));
  const { kind, name, namespace } = answer.names.fromWire(wireName);
  const start = { call_id, name, ...(namespace !== undefined && { namespace }), ...ownFields(block) };
  const key = `call ${call_id}`;
  if (kind === "custom") return readCustomCall(answer, key, start, block);
  answer.writer.call(key, start);
  return new InputReader(
    block["input"],
    (piece) => answer.writer.args(key, piece),
    () => answer.leaveOpen(key),
  );
}

function readCustomCall(answer: Answer, key: string, start: { call_id: string; name: string }, block: Block): BlockReader {
  const input = new CustomInput();
  answer.writer.customCall(key, start);
  const end = (): void => {
    answer.writer.args(key, input.end());
    answer.leaveOpen(key);
  };
  return new InputReader(block["input"], (piece) => answer.writer.args(key, input.push(piece)), end);
}

function wholeResult(answer: Answer, block: Block): BlockReader {
  answer.serverToolResult(block);
  return { delta: () => {}, stop: () => {} };
}

/** A block that is told when it is whole; whatever its pieces are called, they fill its fields. */
function collected(block: Block, tell: (whole: Block) => void): BlockReader {
  const whole: Block = { ...block };
  return {
    delta: ({ type: _, ...fields }) => {
      for (const [name, value] of Object.entries(fields)) {
        const before = whole[name];
        whole[name] = typeof before === "string" && typeof value === "string" ? before + value : value;
      }
    },
    stop: () => tell(whole),
  };
}

function readCompaction(answer: Answer, block: Block): BlockReader {
  return collected(block, (whole) => {
    const encrypted_content = seal({ wire: answer.dialect.vendor, kind: "compaction", data: JSON.stringify(whole) });
    const item: Compaction = { type: "compaction", id: answer.ctx.newId("cmp"), encrypted_content };
    answer.writer.item(item);
  });
}

/** A block that the vocabulary has no item for, kept as it is. */
function wholeBlock(answer: Answer, block: Block): BlockReader {
  return collected(block, (whole) => {
    const id = stringIn(whole["id"]) ?? answer.ctx.newId("block");
    const item: ExtensionItem = { type: extensionType(whole.type), id, status: "completed", ...withExtra("blocks", [whole]) };
    const next = whole.type === "fallback" ? stringIn(objectIn(whole["to"])["model"]) : undefined;
    if (next) answer.handOver(next);
    answer.writer.item(item);
  });
}
