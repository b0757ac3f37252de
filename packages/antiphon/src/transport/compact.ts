import { AntiphonError } from "../core/error.ts";
import { isObject } from "../model/guards.ts";
import type { CreateResponse, InputItem } from "../model/index.ts";
import { fetchJson, type FetchJsonOptions } from "./fetch-json.ts";
import { newId } from "./ids.ts";
import type { WireUpstream } from "./upstream.ts";

// What the endpoint takes of a request.
const fields = ["model", "input", "instructions", "prompt_cache_key"] as const;

/**
 * Has a server compact items (`POST /responses/compact`). What it gives stands in for them in later requests to the same server,
 * as it is.
 *
 * @example
 * const items = await compactItems(upstream, { model: "gpt-5.2", input: history });
 */
export async function compactItems(
  upstream: WireUpstream,
  request: Pick<CreateResponse, (typeof fields)[number]>,
  options: Omit<FetchJsonOptions, "method" | "body"> = {},
): Promise<InputItem[]> {
  // The codec knows what the server wants left out of items.
  await upstream.codec.load?.();
  const { path, body } = upstream.codec.encodeRequest({ request, newId, now: () => 0 });
  const encoded = isObject(body) ? body : {};
  const picked = Object.fromEntries(fields.flatMap((field) => (encoded[field] == null ? [] : [[field, encoded[field]]])));
  const answer = await fetchJson(upstream, `${path}/compact`, { ...options, body: picked });
  if (isObject(answer) && Array.isArray(answer["output"]) && answer["output"].every(isObject)) {
    // A server vouches for its items as it does in any response.
    return answer["output"] as unknown as InputItem[];
  }
  throw new AntiphonError("PROTOCOL", "The server's compaction contains no list of items.", { provider: upstream.name });
}
