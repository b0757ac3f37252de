/**
 * The answers that the mock upstream gives: OpenAI's sequence of events, with every field that the real one sends, serialised once.
 */

const words = (
  "the a of to and in that is was for on with as by at from this which or an be are it not have has had but they their one two " +
  "river stone letter window garden morning paper answer question table wind winter summer bridge road quiet bright small long " +
  'carry follow open hold turn begin remember listen measure gather — naïve , . ; : ? ! \n "quoted" (aside) re mark able ing'
).split(" ");

// A small linear congruential generator: the same text on every machine and in every process.
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function pieces(count) {
  const random = randomNumbers(count);
  return Array.from({ length: count }, () => ` ${words[Math.floor(random() * words.length)]}`);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
function randomId(random, length) {
  let id = "";
  for (let index = 0; index < length; index++) id += alphabet[Math.floor(random() * alphabet.length)];
  return id;
}

const response = (fields) => ({
  id: "resp_0b7d3c1e5a9f4b2d8c6e0a1f3b5d7c9e1a2b3c4d5e6f7a8b",
  object: "response",
  created_at: 1767225600,
  status: "in_progress",
  background: false,
  completed_at: null,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: "bench-model",
  output: [],
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "auto",
  store: true,
  temperature: 1,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: null,
  user: null,
  metadata: {},
  ...fields,
});

const usage = (outputTokens) => ({
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 12 + outputTokens,
});

/** Real streams pad each delta to hide its length; the padding is part of what a client has to read. */
const obfuscation = (random, delta) => randomId(random, Math.max(1, 16 - (delta.length % 16)));

function* messageEvents(deltas, output_index) {
  const random = randomNumbers(7);
  const item_id = "msg_0b7d3c1e5a9f4b2d8c6e0a1f3b5d7c9e1a2b3c4d5e6f7a8c";
  const text = deltas.join("");
  const place = { content_index: 0, item_id, output_index };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const item = { id: item_id, type: "message", status: "completed", content: [part], role: "assistant" };
  yield { type: "response.output_item.added", item: { ...item, status: "in_progress", content: [] }, output_index };
  yield { type: "response.content_part.added", ...place, part: { ...part, text: "" } };
  for (const delta of deltas)
    yield {
      type: "response.output_text.delta",
      content_index: 0,
      delta,
      item_id,
      logprobs: [],
      obfuscation: obfuscation(random, delta),
      output_index,
    };
  yield { type: "response.output_text.done", ...place, logprobs: [], text };
  yield { type: "response.content_part.done", ...place, part };
  yield { type: "response.output_item.done", item, output_index };
  return item;
}

function* callEvents(deltas, step = 0) {
  const random = randomNumbers(11);
  const item_id = `fc_0b7d3c1e5a9f4b2d8c6e0a1f3b5d7c9e1a2b3c4d5e6f7a${step}d`;
  const args = deltas.join("");
  const item = {
    id: item_id,
    type: "function_call",
    status: "completed",
    arguments: args,
    call_id: `call_Qm4Xc7Lw2Rt9Vb5Ns8Kd1Hf${step}`,
    name: "write_file",
  };
  yield { type: "response.output_item.added", item: { ...item, status: "in_progress", arguments: "" }, output_index: 0 };
  for (const delta of deltas)
    yield {
      type: "response.function_call_arguments.delta",
      delta,
      item_id,
      obfuscation: obfuscation(random, delta),
      output_index: 0,
    };
  yield { type: "response.function_call_arguments.done", arguments: args, item_id, output_index: 0 };
  yield { type: "response.output_item.done", item, output_index: 0 };
  return item;
}

function* imageEvents(result) {
  const item_id = "ig_0b7d3c1e5a9f4b2d8c6e0a1f3b5d7c9e1a2b3c4d5e6f7a8e";
  const place = { item_id, output_index: 0 };
  const begun = { id: item_id, type: "image_generation_call", status: "in_progress" };
  const item = {
    ...begun,
    status: "completed",
    background: "opaque",
    output_format: "png",
    quality: "high",
    result,
    revised_prompt: "A quiet garden in the morning.",
    size: "1536x1024",
  };
  yield { type: "response.output_item.added", item: begun, output_index: 0 };
  yield { type: "response.image_generation_call.in_progress", ...place };
  yield { type: "response.image_generation_call.generating", ...place };
  yield { type: "response.image_generation_call.completed", ...place };
  yield { type: "response.output_item.done", item, output_index: 0 };
  return item;
}

function argumentDeltas(count) {
  const content = pieces(Math.max(1, count - 2)).map((piece) => JSON.stringify(piece).slice(1, -1));
  return ['{"path":"notes/garden.md","content":"', ...content, '"}'];
}

/** A list of records, as a schema would have it, cut into pieces of about a token. */
function objectDeltas(count) {
  const random = randomNumbers(count);
  const deltas = ['{"rows":['];
  for (let row = 0; deltas.length < count - 8; row++) {
    const name = pieces(3).map((piece) => JSON.stringify(piece).slice(1, -1));
    deltas.push(`${row > 0 ? "," : ""}{"name":"`, ...name, '","score":', String(Math.floor(random() * 1000)), "}");
  }
  while (deltas.length < count - 1) deltas.push(" ");
  return [...deltas, "]}"];
}

const megabyte = 1024 * 1024;
function imageData(megabytes) {
  const block = randomId(randomNumbers(3), 4096);
  return block.repeat((megabytes * megabyte) / block.length);
}

/** Each kind says what is output, in order, and how long the part is that a client must hand over. */
const kinds = {
  text(count) {
    const deltas = pieces(count);
    return { length: deltas.join("").length, tokens: count, items: () => [messageEvents(deltas, 0)] };
  },
  arguments(count) {
    const deltas = argumentDeltas(count);
    return { length: deltas.join("").length, tokens: count, items: () => [callEvents(deltas)] };
  },
  image(count) {
    const data = imageData(count);
    const caption = [" Here", " is", " the", " garden", "."];
    return { length: data.length, tokens: caption.length, items: () => [imageEvents(data), messageEvents(caption, 1)] };
  },
  object(count) {
    const deltas = objectDeltas(count);
    return { length: deltas.join("").length, tokens: count, items: () => [messageEvents(deltas, 0)] };
  },
};

function* events({ tokens, items }) {
  yield { type: "response.created", response: response({}) };
  yield { type: "response.in_progress", response: response({}) };
  const output = [];
  for (const item of items()) output.push(yield* item);
  const completed = { status: "completed", completed_at: 1767225661, service_tier: "default", output, usage: usage(tokens) };
  yield { type: "response.completed", response: response(completed) };
}

const frame = (event, sequence_number) =>
  Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`);

/** Requests that a run of the tool loop takes: all but the last are answered with a call. */
export const loopSteps = 5;

/** The answers to the steps of a loop, by the number of results that a request brings; what is checked is the text of the last. */
function loopOf(count) {
  const text = pieces(count);
  const call = argumentDeltas(count);
  const calls = Array.from({ length: loopSteps - 1 }, (_, step) => ({ tokens: count, items: () => [callEvents(call, step)] }));
  return { length: text.join("").length, plans: [...calls, { tokens: count, items: () => [messageEvents(text, 0)] }] };
}

function framesOf(plan) {
  const frames = [];
  for (const event of events(plan)) frames.push(frame(event, frames.length));
  return frames;
}

/**
 * The whole stream as frames, one an event, and the length that a client's output is checked against; of a loop, the stream of each
 * step.
 *
 * @param {import("./scenario.mjs").Scenario} scenario
 */
export function answersTo({ kind, count }) {
  const { length, plans } = kind === "loop" ? loopOf(count) : { ...kinds[kind](count), plans: [kinds[kind](count)] };
  return { length, steps: plans.map(framesOf) };
}
