/** What the upstream of the gateway bench answers, on each wire: the same words, serialised once, in every field that the real ones send. */
import { answersTo } from "../answer.mjs";

const deltas = 200;
const { steps } = answersTo({ kind: "text", count: deltas });
const events = steps[0].map((frame) => JSON.parse(frame.toString().split("\ndata: ")[1]));
const words = events.filter(({ type }) => type === "response.output_text.delta").map(({ delta }) => delta);

/** The text of every answer. */
export const text = words.join("");

const frame = (data) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`);
const named = (data) => Buffer.from(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);

const head = {
  id: "chatcmpl-Ch2QuGYXkZWVyBnqazmfFXqpHp0fw",
  object: "chat.completion.chunk",
  created: 1767225600,
  model: "bench-model",
  service_tier: "default",
  system_fingerprint: "fp_50906f2aac",
};
const chunk = (delta, finish_reason = null) =>
  frame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], usage: null, obfuscation: "r7Kq2" });
const chatUsage = {
  prompt_tokens: 12,
  completion_tokens: deltas,
  total_tokens: 12 + deltas,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
const chat = [
  chunk({ role: "assistant", content: "", refusal: null }),
  ...words.map((content) => chunk({ content })),
  chunk({}, "stop"),
  frame({ ...head, choices: [], usage: chatUsage, obfuscation: "r7Kq2" }),
  Buffer.from("data: [DONE]\n\n"),
];

const message = {
  model: "bench-model",
  id: "msg_01XFDUDYJgAACzvnptvVoYEL",
  type: "message",
  role: "assistant",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    input_tokens: 12,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
    service_tier: "standard",
  },
};
const messages = [
  named({ type: "message_start", message }),
  named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  named({ type: "ping" }),
  ...words.map((word) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } })),
  named({ type: "content_block_stop", index: 0 }),
  named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: deltas } }),
  named({ type: "message_stop" }),
];

const plain = (value) => [Buffer.from(JSON.stringify(value))];
const { choices: _, obfuscation: __, ...completion } = { ...head, object: "chat.completion" };

/** By the last part of the path that is asked: the frames of a stream, and a plain answer. */
export const answers = {
  responses: { frames: steps[0], plain: plain(events.at(-1).response) },
  completions: {
    frames: chat,
    plain: plain({
      ...completion,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: text, refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage: chatUsage,
    }),
  },
  messages: {
    frames: messages,
    plain: plain({
      ...message,
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      usage: { ...message.usage, output_tokens: deltas },
    }),
  },
};

/** Where the text of an answer stands, on each wire: in its frames, and in a plain answer. */
export const textIn = {
  responses: {
    frame: (value) => (value.type === "response.output_text.delta" ? value.delta : ""),
    plain: (value) => value.output[0].content[0].text,
  },
  completions: { frame: (value) => value.choices?.[0]?.delta?.content ?? "", plain: (value) => value.choices[0].message.content },
  messages: { frame: (value) => value.delta?.text ?? "", plain: (value) => value.content[0].text },
};
