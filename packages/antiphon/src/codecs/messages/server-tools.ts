import type { JsonObject } from "../../model/guards.ts";
import { CustomInput } from "../shared/custom-input.ts";
import type { Answer } from "./answer.ts";
import { InputReader, type BlockReader } from "./block-readers.ts";
import { objectIn, stringIn, withExtra, type Block } from "./extension.ts";
import { parseJson } from "./json.ts";
import { serverToolOf, type ServerTool } from "./server-tool-table.ts";

/** A server-side tool at work: the item that tells it, and the blocks to send back. */
interface Running {
  key: string;
  tool: ServerTool;
  input: JsonObject;
  blocks: Block[];
  answered: boolean;
}

/** The server-side tools of an answer: each call and its result, two blocks on the wire, are one item. */
export class ServerTools {
  readonly #answer: Answer;
  readonly #running = new Map<string, Running>();

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** A call begins. */
  open(block: Block): BlockReader {
    const id = stringIn(block["id"]) ?? this.#answer.ctx.newId("srvtoolu");
    const running = this.#begin(id, block, id);
    const { key, tool } = running;
    const { writer } = this.#answer;
    if (tool.begun) writer.stage(key, tool.begun);
    const code = tool.streamsCode?.(block) ? new CustomInput() : undefined;
    const say = (piece: string): void => {
      if (code) writer.args(key, code.push(piece));
      else if (tool.streamsArguments) writer.args(key, piece);
    };
    return new InputReader(block["input"], say, (json) => {
      // Input that was cut off is kept as nothing: the call never ran.
      running.input = objectIn(parseJson(json));
      running.blocks = [{ ...block, input: running.input }];
      if (code) writer.args(key, code.end());
      else if (tool.codeOf) writer.args(key, tool.codeOf(running.input));
      writer.set(key, { ...tool.asked?.(running.input), ...withExtra("blocks", running.blocks) });
      if (tool.working) writer.stage(key, tool.working);
    });
  }

  /** A result: of a call in this answer, or of one that an earlier answer left running. */
  result(block: Block): void {
    const id = stringIn(block["tool_use_id"]) ?? "";
    const running = this.#running.get(id) ?? this.#begin(id, { type: "server_tool_use", name: block.type }, `${id}_result`);
    const { key, tool } = running;
    const { writer } = this.#answer;
    running.answered = true;
    const { followedBy, ...fields } = tool.answered(block, running.input, this.#answer);
    const blocks = followedBy ? running.blocks : [...running.blocks, block];
    writer.set(key, { ...fields, ...withExtra("blocks", blocks) });
    const stage = fields["status"] === "failed" ? tool.failed : tool.done;
    if (stage) writer.stage(key, stage);
    this.#setContainer(running);
    if (!tool.needsContainer || this.#answer.containerId) writer.close(key);
    if (followedBy) writer.item({ ...followedBy, id: this.#answer.ctx.newId("tso"), ...withExtra("blocks", [block]) });
  }

  /** Nothing more comes: items that waited for their container are whole. */
  settle(): void {
    for (const running of this.#running.values()) {
      this.#setContainer(running);
      if (running.answered) this.#answer.writer.close(running.key);
    }
  }

  #begin(id: string, block: Block, itemId: string): Running {
    const tool = serverToolOf(block);
    const running: Running = { key: itemId, tool, input: {}, blocks: [], answered: false };
    this.#running.set(id, running);
    this.#answer.writer.open(itemId, tool.item(itemId, block));
    return running;
  }

  #setContainer({ key, tool }: Running): void {
    if (tool.needsContainer) this.#answer.writer.set(key, { container_id: this.#answer.containerId });
  }
}
