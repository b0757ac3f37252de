import {
  Agent,
  Chat,
  provider,
  type AgentInput,
  type AgentTool,
  type Decision,
  type ReplyStream,
  type ToolSource,
} from "antiphon";
import type { SessionStore } from "antiphon/conversation";
import type { ResultFile } from "antiphon/hosted";
import { fileSessions } from "antiphon/node";
import { UsageError } from "../options.ts";
import { findSession, newSessionId } from "./sessions.ts";
import type { ChatSettings, Effort, Verbosity } from "./settings.ts";

/** The options of one turn. */
export interface AskOptions {
  signal: AbortSignal;
  decisions?: Readonly<Record<string, Decision>>;
}

/** The conversation of a chat, and everything that its commands can change. */
export class Conversation {
  readonly agent: Agent;
  /** The files of the last answer. */
  files: readonly ResultFile[] = [];
  /** Notes about the whole conversation that were shown already. */
  readonly told = new Set<string>();
  readonly #settings: ChatSettings;
  readonly #allowed = new Set<string>();
  readonly #switchedOff = new Set<string>();
  #chat: Chat;

  private constructor(settings: ChatSettings, agent: Agent, chat: Chat) {
    this.#settings = settings;
    this.agent = agent;
    this.#chat = chat;
  }

  /** Opens the saved conversation of the settings, or starts a new one. */
  static async open(settings: ChatSettings): Promise<Conversation> {
    const { sessions, resume } = settings;
    const agent = agentFor(settings);
    const store = sessions === undefined ? undefined : fileSessions(sessions);
    const context = settings.context ? { context: settings.context } : {};
    const chat = resume === undefined ? begun(agent, store, context) : await resumed(agent, store, settings, context);
    const conversation = new Conversation(settings, agent, chat);
    if (settings.effort) conversation.effort = settings.effort;
    return conversation;
  }

  get chat(): Chat {
    return this.#chat;
  }

  /** Whether the conversation is saved. */
  get isKept(): boolean {
    return this.#settings.sessions !== undefined;
  }

  /** The model string. */
  get modelName(): string {
    const { provider, model } = this.agent.stats();
    return [provider, model === provider ? undefined : model].filter(Boolean).join(":") || "a model";
  }

  /** Changes the model from the next turn on. Throws if it does not exist or its key is missing. */
  useModel(name: string): void {
    const before = this.agent.model;
    try {
      const model = this.#settings.findModel?.(name) ?? provider(name);
      this.agent.model = model;
      this.agent.resolve();
      // Building the headers needs the key: a missing one is reported now, not with the next message.
      if (typeof model === "object" && "headers" in model && typeof model.headers === "function") void model.headers();
    } catch (error) {
      this.agent.model = before;
      throw error;
    }
  }

  get effort(): Effort | undefined {
    return this.agent.reasoning?.effort ?? undefined;
  }
  set effort(effort: Effort | undefined) {
    // Reasoning is only sent if requested.
    this.agent.reasoning = effort && (effort === "none" ? { effort } : { effort, summary: "auto" });
  }

  get verbosity(): Verbosity | undefined {
    return this.agent.verbosity ?? undefined;
  }
  set verbosity(verbosity: Verbosity | undefined) {
    this.agent.verbosity = verbosity;
  }

  /** Sends a message. An empty list continues with the pending calls. */
  ask(input: AgentInput, options: AskOptions): ReplyStream {
    const allowed = this.#allowed;
    return this.#chat.stream(input, {
      ...options,
      tools: this.#activeTools(),
      beforeTool: (call) => (allowed.has(call.name) ? { action: "continue" } : undefined),
    });
  }

  /** Approves all calls of a tool until the chat ends. */
  allow(tool: string): void {
    this.#allowed.add(tool);
  }

  isAllowed(tool: string): boolean {
    return this.#allowed.has(tool);
  }

  /** Continues in a copy and returns its id. */
  async fork(): Promise<string> {
    this.#chat = this.#chat.fork({ id: newSessionId(new Date()) });
    await this.#chat.save();
    return this.#chat.id;
  }

  /** All tools, and whether they are enabled. */
  async tools(signal?: AbortSignal): Promise<{ name: string; about: string; isOn: boolean }[]> {
    const all = await Promise.all(
      (this.#settings.tools ?? []).map(async (tool) => (isSource(tool) ? tool.listTools(signal) : [tool])),
    );
    return all.flat().map((tool) => ({ name: nameOf(tool), about: aboutOf(tool), isOn: !this.#switchedOff.has(nameOf(tool)) }));
  }

  switchTool(name: string, isOn: boolean): void {
    if (isOn) this.#switchedOff.delete(name);
    else this.#switchedOff.add(name);
  }

  #activeTools(): AgentTool[] {
    const isOn = (tool: AgentTool): boolean => !this.#switchedOff.has(nameOf(tool));
    return (this.#settings.tools ?? [])
      .filter(isOn)
      .map((tool) => (isSource(tool) ? { listTools: async (signal) => (await tool.listTools(signal)).filter(isOn) } : tool));
  }
}

function agentFor({ model, instructions, verbosity, maxTokens, maxSteps, request, prices, connect }: ChatSettings): Agent {
  return new Agent({
    model,
    ...request,
    ...(instructions !== undefined && { instructions }),
    ...(verbosity && { verbosity }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(prices && { prices }),
    ...(connect && { connect }),
  });
}

type Context = Pick<ChatSettings, "context">;

const begun = (agent: Agent, store: SessionStore | undefined, context: Context): Chat =>
  agent.chat({ id: newSessionId(new Date()), ...(store && { store }), ...context });

async function resumed(agent: Agent, store: SessionStore | undefined, settings: ChatSettings, context: Context): Promise<Chat> {
  const { sessions, resume = true } = settings;
  if (!store || sessions === undefined)
    throw new UsageError("a conversation cannot be resumed because conversations are not saved");
  return Chat.from(agent, store, await findSession(sessions, resume), context);
}

const isSource = (tool: AgentTool): tool is ToolSource => "listTools" in tool;

function nameOf(tool: AgentTool): string {
  if ("name" in tool && typeof tool.name === "string") return tool.name;
  return "type" in tool && typeof tool.type === "string" ? tool.type : "";
}

function aboutOf(tool: Exclude<AgentTool, ToolSource>): string {
  const definition: object =
    "definition" in tool && typeof tool.definition === "object" && tool.definition ? tool.definition : tool;
  const about: unknown = Reflect.get(definition, "description");
  return typeof about === "string" ? about : "runs on the provider's servers";
}
