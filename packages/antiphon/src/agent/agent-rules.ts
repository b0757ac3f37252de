import {
  anyText,
  either,
  func,
  listOf,
  nested,
  nullable,
  objectWith,
  oneOf,
  rule,
  text,
  yesOrNo,
  type Rules,
} from "../core/options.ts";
import { contextRules } from "../conversation/context-options.ts";
import { deliverableRules } from "../hosted/deliverables.ts";
import { isObject } from "../model/guards.ts";
import { isStandardSchema } from "../tools/standard-schema.ts";
import { connectRules } from "../transport/connect-rules.ts";
import type { BoundOptions, SendOptions } from "./agent-options.ts";
import type { ChatOptions, TurnOptions } from "./chat-options.ts";
import { runRules } from "./loop/run-rules.ts";
import { requestFieldRules } from "./request-fields.ts";

const isModel = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "function" || (isObject(value) && "name" in value);
const isSchema = (value: unknown): boolean => isStandardSchema(value) || isObject(value);

const storeRule = objectWith("be a session store, such as `memorySessions()`", "load", "append");

const { download: _download, signal: _signal, ...filesRules } = deliverableRules;

export const agentRules = {
  ...requestFieldRules,
  ...runRules,
  name: text,
  description: anyText,
  model: rule("be a model string, a provider or a function", isModel),
  instructions: nullable(either("be text or a function", anyText, func)),
  verbosity: nullable(text),
  output: rule("be a schema", isSchema),
  middleware: listOf(func),
  around: func,
  handovers: listOf(objectWith("be an agent", "respond", "send")),
  onLoss: oneOf("warn", "error"),
  files: nested<NonNullable<BoundOptions["files"]>>(filesRules),
  prices: func,
  connect: nested(connectRules),
} satisfies Rules<BoundOptions & Record<"*:*", unknown>>;

const { name: _name, description: _description, ...callRules } = agentRules;
export const sendRules: Rules<SendOptions> = callRules;

const { around: _around, ...withoutAround } = callRules;
export const turnRules: Rules<TurnOptions> = withoutAround;

const isContext = either(
  "be options, a function or false",
  func,
  rule("be false", (value) => value === false),
);

export const chatRules: Rules<ChatOptions> = {
  id: text,
  store: storeRule,
  context: (value, place) => (isObject(value) ? nested(contextRules)(value, place) : isContext(value, place)),
  guard: yesOrNo,
  journal: runRules.journal,
};
