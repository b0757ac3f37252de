import type { JsonObject } from "../../model/guards.ts";
import type { ReasoningEffort } from "../../model/index.ts";
import type { NameRules } from "../shared/tool-names.ts";

/** A request field that asks for thinking. */
export type ThinkingField =
  /** `"low"`, `"high"`, … */
  | "reasoning_effort"
  /** `{ effort }`, as OpenRouter has it. */
  | "reasoning"
  /** `{ type: "enabled" | "disabled" }`. */
  | "thinking"
  /** `true` or `false`. */
  | "enable_thinking";

/** How thoughts go back to the server that had them. */
export interface Replay {
  /** The field of the assistant message; `thinking` is a part of its content, as Mistral has it. */
  as: "reasoning_content" | "reasoning" | "reasoning_details" | "thinking";
  /** On every assistant message, or only on those with tool calls. */
  on: "all" | "calls";
  /** The server refuses such a message without thoughts: where there are none, a space stands in. */
  needed?: boolean;
}

/** Ids of tool calls that a server takes. */
export interface CallIdRules {
  pattern: RegExp;
  /** How long the ids are that we make for those that do not fit. */
  length: number;
}

/** A kind of input beside text. */
export type Medium = "image" | "audio" | "file" | "video";

/** How a server's Chat Completions differ from the next one's; a preset fills in what it needs. */
export interface ChatDialect {
  /** Below the base URL. */
  path: string;
  /** Who runs the server. Its blobs go back to it alone, and tools of the type `vendor:…` go to it as they are. */
  vendor: string;

  /** The name of `max_output_tokens`. */
  maxTokens: "max_tokens" | "max_completion_tokens";
  /** Whether there is a role `developer`; where not, it is `system`. */
  developerRole: boolean;
  /** Where system messages may stand. `leading`: in one message at the head; later ones become marked user messages. */
  systemMessages: "anywhere" | "leading";
  /** Whether `stream_options.include_usage` is taken. */
  usageOption: boolean;
  /** What is taken beside text. */
  media: readonly Medium[];
  /** What a tool message may hold beside text; the rest follows in a user message. */
  toolMedia: readonly Medium[];
  /** How sound is said: with its format, or its bytes alone, as Mistral has it. */
  audioForm: "formatted" | "bare";
  /** How a file's URL is said: in `file_data`, or as a part of its own, as Mistral has it. */
  fileUrls?: "file_data" | "document_url";
  /** Whether an assistant message has a field `refusal`; where not, it is said as text. */
  refusals: boolean;

  /** Names of functions. */
  names: NameRules;
  callIds: CallIdRules;
  /** Whether functions have `strict`. */
  strictTools: boolean;
  /** Whether there are free-form tools; where not, a function with one string stands in. */
  customTools: boolean;
  /** Whether `tool_choice` knows `allowed_tools`; where not, only those tools are sent. */
  allowedTools: boolean;
  /** The word for "some tool, whichever". */
  requiredChoice: "required" | "any";
  /** Whether `web_search_options` switch a web search on. */
  webSearch: boolean;

  /** Native output formats; a JSON schema elsewhere is asked for by a hidden tool. */
  formats: readonly ("json_object" | "json_schema")[];
  /** Whether the model is made to call the hidden tool, or only asked to: some servers refuse to force a model that thinks. */
  hiddenTool: "forced" | "offered";

  /** All the fields that ask for thinking, none where the server cannot be asked. */
  thinking: readonly ThinkingField[];
  /** What the server calls an effort, where it has another word for it. */
  efforts: Readonly<Partial<Record<ReasoningEffort, string>>>;
  replay?: Replay;
  /** Whether thoughts come inside the text, between `<think>` and `</think>` at its beginning. */
  thinkTags: boolean;

  /** Whether several choices are one answer, told in pieces, as some proxies of Claude do. */
  mergeChoices: boolean;

  /** Body fields that the server does not take; they are left out, with a declared loss. */
  drops: readonly string[];
  /** What the server calls a body field. */
  renames: Readonly<Record<string, string>>;
  /** Request fields beyond the common vocabulary that the server takes as they are. */
  passes: readonly string[];
  /** Body fields of every request. */
  adds: Readonly<JsonObject>;
}

/** What a server understands that follows OpenAI's wire as most do: the common part of it, without what only OpenAI has. */
const plainDialect: ChatDialect = {
  path: "/chat/completions",
  vendor: "any",
  maxTokens: "max_tokens",
  developerRole: false,
  systemMessages: "anywhere",
  usageOption: true,
  media: ["image", "audio", "file"],
  toolMedia: [],
  audioForm: "formatted",
  refusals: false,
  names: { allowed: /[a-zA-Z0-9_-]/, maxLength: 64 },
  callIds: { pattern: /^[^]{1,40}$/, length: 24 },
  strictTools: true,
  customTools: false,
  allowedTools: false,
  requiredChoice: "required",
  webSearch: false,
  formats: ["json_object", "json_schema"],
  hiddenTool: "forced",
  thinking: ["reasoning_effort"],
  efforts: {},
  thinkTags: false,
  mergeChoices: false,
  drops: [],
  renames: {},
  passes: ["logit_bias"],
  adds: {},
};

/** The dialect of OpenAI's own Chat Completions server. */
export const openaiDialect: Partial<ChatDialect> = {
  vendor: "openai",
  maxTokens: "max_completion_tokens",
  developerRole: true,
  refusals: true,
  customTools: true,
  allowedTools: true,
  webSearch: true,
  passes: ["logit_bias", "prediction", "modalities", "audio", "moderation"],
};

/** A whole dialect from what one server does differently. */
export const fullDialect = (dialect: Partial<ChatDialect> = {}): ChatDialect => ({ ...plainDialect, ...dialect });
