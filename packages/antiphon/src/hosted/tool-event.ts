/** One step of a hosted tool's work, as it was told: a wire event, or a synthetic summary of a finished call. */
export interface ToolEvent {
  type: string;
  item_id?: string;
  output_index?: number;
  [field: string]: unknown;
}

/** Steps by tool: `{ web_search: [event] }`. Live lists hold one event; the final ones hold all. */
export type ToolProgress = { [tool: string]: ToolEvent[] };
