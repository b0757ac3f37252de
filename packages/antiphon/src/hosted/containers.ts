import { batchesOf, fromBatches, type CallOptions, type EventStream, type Middleware, type Respond } from "../core/respond.ts";
import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse, InputItem, ResponseEvent, Tool } from "../model/index.ts";
import { isContainerGone } from "./container-gone.ts";
import { wantsFresh } from "./options.ts";

/** The container that the newest call of these items ran in. */
function lastContainer(input: CreateResponse["input"]): string | undefined {
  return Array.isArray(input) ? input.map(containerOf).findLast((id) => id !== undefined) : undefined;
}

function containerOf(item: InputItem): string | undefined {
  if (item.type === "code_interpreter_call") return item.container_id || undefined;
  if (item.type !== "shell_call" || !isObject(item.environment)) return undefined;
  const { container_id } = item.environment;
  return typeof container_id === "string" ? container_id : undefined;
}

/** What a tool wants of a new container, and how it would use an old one. */
interface Wish {
  files: readonly string[];
  into(id: string): Tool;
}

/** Nothing where a tool wants no container, a certain one, or a fresh one each time. */
function wishOf(tool: Tool): Wish | undefined {
  if (wantsFresh(tool)) return undefined;
  if (tool.type === "code_interpreter") return wish(tool.container, "auto", (id) => ({ ...tool, container: id }));
  if (tool.type !== "shell") return undefined;
  const into = (id: string): Tool => ({ ...tool, environment: { type: "container_reference", container_id: id } });
  return wish(Reflect.get(tool, "environment"), "container_auto", into);
}

function wish(place: unknown, auto: string, into: Wish["into"]): Wish | undefined {
  if (!isObject(place) || place["type"] !== auto) return undefined;
  const files = place["file_ids"];
  return { files: Array.isArray(files) ? files.map(String) : [], into };
}

// Enough for every conversation that a process has at a time; the oldest are forgotten first.
const mostRemembered = 10_000;

/**
 * Middleware that reuses the container of the last call, so that a conversation finds its files again. The items of
 * the request say which container that is; one that is gone is replaced, and an `antiphon:container_replaced` event
 * says so. It must see whole item lists, so it goes above whatever shortens them.
 *
 * @example
 * const respond = reuseContainers()(connect(provider("openai")));
 */
export function reuseContainers(): Middleware {
  const memory = new ContainerMemory();
  return (next) => (request, options) => {
    const id = lastContainer(request.input);
    const reused = id === undefined ? request : memory.reuse(request, id);
    if (reused === request || id === undefined) return memory.watch(next(request, options), request);
    return fromBatches(() => new Attempts({ next, request, reused, id, memory, options }));
  };
}

interface Attempt {
  next: Respond;
  request: CreateResponse;
  reused: CreateResponse;
  id: string;
  memory: ContainerMemory;
  options: CallOptions | undefined;
}

type Batches = AsyncIterator<ResponseEvent[]>;
const over: IteratorResult<ResponseEvent[]> = { done: true, value: undefined };

/** Asks in the old container, and in a new one if that is gone. No generator: leaving one waits for the batch that is under way. */
class Attempts implements Batches {
  readonly #attempt: Attempt;
  #batches: Batches | undefined;
  /** Nothing of an answer was seen, and nothing was replaced yet. */
  #mayReplace = true;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  async next(): Promise<IteratorResult<ResponseEvent[]>> {
    const { next, reused, options } = this.#attempt;
    try {
      this.#batches ??= batchesOf(next(reused, options));
      const batch = await this.#batches.next();
      this.#mayReplace &&= batch.done === true || batch.value.every(({ type }) => type.startsWith("antiphon:"));
      return batch;
    } catch (thrown) {
      if (!this.#mayReplace || !(thrown instanceof AntiphonError) || !isContainerGone(thrown)) throw thrown;
      return { done: false, value: [this.#replace(thrown)] };
    }
  }

  async return(): Promise<IteratorResult<ResponseEvent[]>> {
    await this.#batches?.return?.();
    return over;
  }

  #replace({ code, message }: AntiphonError): ResponseEvent {
    const { next, request, id, memory, options } = this.#attempt;
    this.#mayReplace = false;
    memory.bury(id);
    this.#batches = batchesOf(memory.watch(next(request, options), request));
    return { type: "antiphon:container_replaced", sequence_number: 0, container_id: id, error: { code, message } };
  }
}

/** What is known of containers beyond their ids: which are gone, and which files they were made with. */
class ContainerMemory {
  readonly #gone = new Set<string>();
  readonly #files = new Map<string, readonly string[]>();

  /** The same request in an old container, where every file that it wants is there. */
  reuse(request: CreateResponse, id: string): CreateResponse {
    if (this.#gone.has(id)) return request;
    const there = this.#files.get(id) ?? [];
    let changed = false;
    const tools = request.tools?.map((tool) => {
      const wanted = wishOf(tool);
      if (!wanted?.files.every((file) => there.includes(file))) return tool;
      changed = true;
      return wanted.into(id);
    });
    return changed ? { ...request, tools } : request;
  }

  bury(id: string): void {
    remember(this.#gone, id, () => this.#gone.add(id));
  }

  /** Learns which files a new container was made with. */
  watch(stream: EventStream, { tools }: CreateResponse): EventStream {
    const files = (tools ?? []).flatMap((tool) => wishOf(tool)?.files ?? []);
    return files.length === 0 ? stream : fromBatches(() => this.#learning(stream, files));
  }

  #learning(stream: EventStream, files: readonly string[]): Batches {
    const batches = batchesOf(stream);
    return {
      next: async () => {
        const batch = await batches.next();
        for (const event of batch.done ? [] : batch.value)
          if (event.type === "response.output_item.done") this.#learn(event.item, files);
        return batch;
      },
      return: () => batches.return?.() ?? Promise.resolve(over),
    };
  }

  #learn(item: InputItem, files: readonly string[]): void {
    const id = containerOf(item);
    if (id !== undefined) remember(this.#files, id, () => this.#files.set(id, files));
  }
}

/** Adds to a collection that keeps the order of insertion, and drops its oldest member where it is full. */
function remember(kept: Set<string> | Map<string, unknown>, id: string, add: () => void): void {
  const oldest = kept.keys().next().value;
  if (kept.size >= mostRemembered && oldest !== undefined && !kept.has(id)) kept.delete(oldest);
  add();
}
