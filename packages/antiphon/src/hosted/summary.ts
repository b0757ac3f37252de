import type { Item } from "../model/index.ts";
import type { ToolEvent } from "./tool-event.ts";

/** What a summary holds beside the item's id. */
type Fields = Record<string, unknown>;
type Summaries = { readonly [T in Item["type"]]?: (item: Extract<Item, { type: T }>) => Fields };

/** What only the finished item tells, where that is not simply all of it. */
const summaries: Summaries = {
  file_search_call: ({ status, queries, results }) => ({ status, queries, results: results ?? [] }),
  code_interpreter_call: (item) => ({
    status: item.status,
    code: item.code ?? codeIn(Reflect.get(item, "arguments")),
    results: item.outputs ?? [],
    container_id: item.container_id ?? "",
  }),
  // The picture itself is content, not metadata.
  image_generation_call: (item) => everything({ ...item, result: undefined }),
  // The schemas are many times as long as all the rest.
  mcp_list_tools: (item) => ({
    ...everything(item),
    tools: item.tools.map(({ name, description }) => ({ name, description: description ?? null })),
  }),
};

/** Some servers write the code as the arguments of a call. */
function codeIn(written: unknown): string {
  try {
    const code: unknown = Reflect.get(JSON.parse(String(written)), "code");
    return typeof code === "string" ? code : "";
  } catch {
    return "";
  }
}

/** Every field but those that wires keep for themselves. */
const everything = ({ id: _, type: __, ...rest }: Item): Fields =>
  Object.fromEntries(Object.entries(rest).filter(([key, value]) => value !== undefined && !key.includes(":")));

/** A finished call in one event of our own, under the item's type. */
export function summaryOf(item: Item, output_index: number): ToolEvent {
  // Each summary is looked up by the type of the item that it is given.
  const fields = (Object.hasOwn(summaries, item.type) ? summaries[item.type] : everything) as (item: Item) => Fields;
  return { type: item.type, item_id: item.id, output_index, ...fields(item) };
}
