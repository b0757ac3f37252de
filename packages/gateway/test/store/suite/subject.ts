import type { InputItem, ResponseEvent, ResponseResource } from "antiphon";
import type { StoreLimits } from "../../../src/store/limits.ts";
import type { Store, StoredConversation, StoredKey, StoredResponse } from "../../../src/store/store.ts";

/** A store under test. */
export interface Subject {
  store: Store;
  /** Opens the same data once more, as another process would. */
  again?: () => Promise<Store>;
  /** Closes everything and leaves nothing behind. */
  close(): Promise<void>;
}

/** Makes an empty store. */
export type CreateSubject = (limits?: Partial<StoreLimits>) => Promise<Subject>;

let made = 0;
export const newId = (prefix: string): string => `${prefix}_${(made += 1)}`;

export const message = (text: string, id = newId("msg")): InputItem => ({ type: "message", id, role: "user", content: text });

export const response = (id: string, changes: Partial<ResponseResource> = {}): ResponseResource => ({
  id,
  object: "response",
  created_at: 1_700_000_000,
  completed_at: null,
  status: "in_progress",
  incomplete_details: null,
  error: null,
  model: "offline",
  output: [],
  usage: null,
  previous_response_id: null,
  instructions: "Be brief.",
  tools: [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_tool_calls: null,
  text: { format: { type: "text" } },
  reasoning: null,
  truncation: "disabled",
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  max_output_tokens: null,
  metadata: { a: "é\0\u{1F600}" },
  store: true,
  background: false,
  service_tier: "default",
  safety_identifier: null,
  prompt_cache_key: null,
  ...changes,
});

/** The same response with an answer. */
export const completed = (id: string, text = "Hello!"): ResponseResource =>
  response(id, {
    status: "completed",
    completed_at: 1_700_000_001,
    output: [
      {
        type: "message",
        id: `msg_of_${id}`,
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
      },
    ],
  });

/** What the answer to an id says; some are long. */
export const answerOf = (id: string): string => `Hello, ${id}!`.repeat(id.includes("0") ? 2_000 : 1);

export function stored(changes: Partial<StoredResponse> = {}): StoredResponse {
  const id = changes.id ?? newId("resp");
  return {
    id,
    owner: "ada",
    request: { model: "offline", instructions: "Be brief." },
    input: [message(`Question of ${id}`)],
    previous: null,
    conversation: null,
    background: false,
    response: response(id),
    ...changes,
  };
}

/** Events numbered from one number to before another. */
export const events = (from: number, to: number, text = "word"): ResponseEvent[] =>
  Array.from({ length: to - from }, (_, index) => ({
    type: "response.output_text.delta",
    sequence_number: from + index,
    item_id: "msg",
    output_index: 0,
    content_index: 0,
    delta: `${text} ${from + index}`,
    logprobs: [],
  }));

export const numbers = (list: readonly ResponseEvent[]): number[] => list.map(({ sequence_number }) => sequence_number);

export const conversation = (changes: Partial<StoredConversation> = {}): StoredConversation => ({
  id: newId("conv"),
  owner: "ada",
  created_at: 1_700_000_000_000,
  metadata: { topic: "weather" },
  ...changes,
});

export const key = (changes: Partial<StoredKey> = {}): StoredKey => {
  const id = changes.id ?? newId("key");
  return {
    id,
    hash: `hash of ${id}`,
    name: "Ada's laptop",
    owner: "ada",
    created_at: 1_700_000_000_000,
    expires_at: null,
    models: ["gpt-*"],
    requestsPerMinute: 60,
    tokensPerMinute: null,
    budget: 10,
    spent: 0,
    revoked: false,
    ...changes,
  };
};

export const holder = (worker: string, leaseMs = 60_000): { worker: string; leaseMs: number } => ({ worker, leaseMs });

export const hour = 3_600_000;
