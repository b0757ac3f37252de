import { Agent, Chat, type AgentInput, type AgentTool, type Decision, type ReplyStream, type ToolSource } from "antiphon";
import type { SessionStore } from "antiphon/conversation";
import type { ResultFile } from "antiphon/hosted";
import { fileSessions } from "antiphon/node";
import { UsageError } from "../options.ts";
import { findSession, newSessionId } from "./sessions.ts";
import type { ChatSettings, Effort, Verbosity } from "./settings.ts";

/** One turn's choices. */
export interface AskOptions {
  signal: AbortSignal;
  decisions?: Readonly<Record<string, Decision>>;
}

/** The conversation that a chat is about, and all that its commands may change. */
export class Conversation {
  readonly agent: Agent;
  /** The files of the last answer. */
  files: readonly ResultFile[] = [];
  /** What was said about the conversation as a whole, and is not to be said again. */
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

  /** Opens the session that the settings ask for, or begins one. */
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

  /** Whether it will be there the next time. */
  get isKept(): boolean {
    return this.#settings.sessions !== undefined;
  }

  /** The model's name, as it was given. */
  get modelName(): string {
    const { provider, model } = this.agent.stats();
    return [provider, model === provider ? undefined : model].filter(Boolean).join(":") || "a model";
  }

  /** Takes another model from the next turn on; throws where there is none of that name. */
  useModel(name: string): void {
    const before = this.agent.model;
    try {
      this.agent.model = this.#settings.findModel?.(name) ?? name;
      this.agent.resolve();
    } catch (error) {
      this.agent.model = before;
      throw error;
    }
  }

  get effort(): Effort | undefined {
    return this.agent.reasoning?.effort ?? undefined;
  }
  set effort(effort: Effort | undefined) {
    // Thoughts can only be shown where they are asked for.
    this.agent.reasoning = effort && (effort === "none" ? { effort } : { effort, summary: "auto" });
  }

  get verbosity(): Verbosity | undefined {
    return this.agent.verbosity ?? undefined;
  }
  set verbosity(verbosity: Verbosity | undefined) {
    this.agent.verbosity = verbosity;
  }

  /** Says something, or, with an empty list, goes on with what waits. */
  ask(input: AgentInput, options: AskOptions): ReplyStream {
    const allowed = this.#allowed;
    return this.#chat.stream(input, {
      ...options,
      tools: this.#activeTools(),
      beforeTool: (call) => (allowed.has(call.name) ? { action: "continue" } : undefined),
    });
  }

  /** Lets a tool run without asking again, until the chat ends. */
  allow(tool: string): void {
    this.#allowed.add(tool);
  }

  isAllowed(tool: string): boolean {
    return this.#allowed.has(tool);
  }

  /** Goes on in a copy; gives its id. */
  async fork(): Promise<string> {
    this.#chat = this.#chat.fork({ id: newSessionId(new Date()) });
    await this.#chat.save();
    return this.#chat.id;
  }

  /** The tools that there are, and whether they may be used. */
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
  if (!store || sessions === undefined) throw new UsageError("sessions are not kept, so that none can be resumed");
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
  return typeof about === "string" ? about : "runs at the provider";
}
