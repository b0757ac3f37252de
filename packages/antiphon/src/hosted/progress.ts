import type { EventOf, Item, ResponseEvent } from "../model/index.ts";
import { Recorder, type ProgressLimits } from "./recorder.ts";
import { summaryOf } from "./summary.ts";
import type { ToolEvent, ToolProgress } from "./tool-event.ts";
import { toolEvents, toolOf, type Stage } from "./tool-table.ts";

/** Follows the server-side tools of an answer. */
export interface Progress {
  /** What an event tells of a tool, as a list of one under the tool's name; nothing where it tells of none. */
  push(event: ResponseEvent): ToolProgress | undefined;
  /** All that was told so far, by tool. JSON, bounded in size, and never sent to a model. */
  readonly metadata: ToolProgress;
}

/** How much of the progress is kept. What is told live is never cut. */
export type ProgressOptions = Partial<ProgressLimits>;

type Arm = (event: ResponseEvent) => Told | undefined;
interface Told {
  tool: string;
  event: ToolEvent;
  stage: Stage;
}

/**
 * Follows the hosted tools of an answer: lists of one event while streaming, complete lists at the end.
 *
 * @example
 * const progress = createProgress();
 * for await (const event of respond(request)) for (const step of progress.push(event)?.["web_search"] ?? []) console.log(step.type);
 * console.log(progress.metadata["web_search"]); // all steps again, in one list
 */
export const createProgress = (options: ProgressOptions = {}): Progress => new ProgressReader(options);

class ProgressReader implements Progress {
  readonly #recorder: Recorder;
  // Deltas come in runs of one type: remembering the last arm saves hashing its name again.
  #type = "";
  #arm: Arm | undefined;

  constructor(options: ProgressOptions) {
    this.#recorder = new Recorder(options);
  }

  get metadata(): ToolProgress {
    return this.#recorder.lists();
  }

  push(event: ResponseEvent): ToolProgress | undefined {
    if (event.type !== this.#type) {
      this.#type = event.type;
      this.#arm = arms.get(event.type);
    }
    const told = this.#arm?.(event);
    if (!told || !this.#recorder.record(told.tool, told.event, told.stage)) return undefined;
    return { [told.tool]: [told.event] };
  }
}

/** An item's summary, once it is final. */
function summary(item: Item, output_index: number): Told | undefined {
  const tool = toolOf(item);
  return tool === undefined ? undefined : { tool, event: summaryOf(item, output_index), stage: "step" };
}

/** A file that the code interpreter left; a citation of no text names what its call has already shown. */
function citation({ annotation, item_id, output_index }: EventOf<"response.output_text.annotation.added">): Told | undefined {
  if (annotation.type !== "container_file_citation" || annotation.start_index === annotation.end_index) return undefined;
  return { tool: "code_interpreter", event: { ...annotation, item_id, output_index }, stage: "step" };
}

const arms: ReadonlyMap<string, Arm> = new Map<string, Arm>([
  ...Object.entries(toolEvents).map(([type, [tool, stage]]): [string, Arm] => [
    type,
    // The table's keys are the names of the events that it is asked with; their fields are the wire's own.
    (event) => ({ tool, event: event as ToolEvent, stage }),
  ]),
  [
    "response.output_item.done",
    (event) => {
      const { item, output_index } = event as EventOf<"response.output_item.done">;
      return summary(item, output_index);
    },
  ],
  ["response.output_text.annotation.added", (event) => citation(event as EventOf<"response.output_text.annotation.added">)],
]);

/** Returns the metadata without the named tools, or an empty object if none is named. */
export const stripMetadata = (metadata: ToolProgress, ...tools: readonly string[]): ToolProgress =>
  tools.length === 0 ? {} : pick(metadata, (tool) => !tools.includes(tool));

/** Returns the metadata of the named tools only. */
export const keepMetadata = (metadata: ToolProgress, ...tools: readonly string[]): ToolProgress =>
  pick(metadata, (tool) => tools.includes(tool));

const pick = (metadata: ToolProgress, wanted: (tool: string) => boolean): ToolProgress =>
  Object.fromEntries(Object.entries(metadata).filter(([tool]) => wanted(tool)));
