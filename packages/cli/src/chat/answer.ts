import { addUsage, noUsage, type AgentInput, type Decision, type PendingCall, type Reply, type Usage } from "antiphon";
import type { Conversation } from "./conversation.ts";
import type { Answer } from "./stages/approval.ts";
import type { TurnListener } from "./turn/listener.ts";
import { teller, waitingCall } from "./turn/tell.ts";

/** Who shows an answer, and is asked about what a tool wants to do. */
export interface Audience {
  /** The model is asked, once more after each pause: who is told of it, and what stops it. */
  begin(): { listener: TurnListener; signal: AbortSignal };
  /** The listener was told something. */
  told(): void;
  /** The model has said all, for now. */
  end(): void;
  approve(call: PendingCall): Promise<Answer>;
}

/** What an answer came to, with all that it took. */
export interface Answered {
  /** The last of the replies; calls of it still wait where somebody stopped at one of them. */
  reply: Reply;
  usage: Usage;
  cost?: number;
  /** Without the time in which somebody made up their mind. */
  milliseconds: number;
}

/** One question to the model: something new, or what was decided about calls that waited. */
interface Asked {
  input: AgentInput;
  waiting: readonly PendingCall[];
  decisions: Readonly<Record<string, Decision>>;
}

/** Has the model answer, with everything that it asks for on the way. Throws what the library throws. */
export async function answer(conversation: Conversation, input: AgentInput, audience: Audience): Promise<Answered> {
  const agreed = new Set<string>();
  let asked: Asked | undefined = { input, waiting: [], decisions: {} };
  let so: Omit<Answered, "reply"> = { usage: noUsage, cost: 0, milliseconds: 0 };
  for (;;) {
    const begun = performance.now();
    const reply: Reply = await ask(conversation, asked, audience);
    so = added(so, reply, performance.now() - begun);
    if (reply.pending.length === 0 || reply.finish === "cancelled") return { reply, ...so };
    const decisions = await decide(conversation, reply.pending, agreed, audience);
    if (!decisions) return { reply, ...so };
    asked = { input: [], waiting: reply.pending, decisions };
  }
}

const added = (before: Omit<Answered, "reply">, reply: Reply, milliseconds: number): Omit<Answered, "reply"> => ({
  usage: addUsage(before.usage, reply.usage),
  ...(before.cost === undefined || reply.cost === undefined ? {} : { cost: before.cost + reply.cost }),
  milliseconds: before.milliseconds + milliseconds,
});

async function ask(conversation: Conversation, { input, waiting, decisions }: Asked, audience: Audience): Promise<Reply> {
  const { listener, signal } = audience.begin();
  try {
    for (const call of waiting) listener.call(waitingCall(call));
    const tell = teller(listener, conversation.told);
    const stream = conversation.ask(input, { signal, decisions });
    for await (const event of stream) {
      tell(event);
      audience.told();
    }
    return await stream.reply;
  } finally {
    audience.end();
  }
}

/** What becomes of calls that wait; nothing where somebody does not want to decide. */
async function decide(
  conversation: Conversation,
  pending: readonly PendingCall[],
  agreed: Set<string>,
  audience: Audience,
): Promise<Record<string, Decision> | undefined> {
  const decisions: Record<string, Decision> = {};
  for (const call of pending) {
    // Somebody agreed, and still it waits: nobody here can run it.
    const isStuck = agreed.has(call.call_id);
    const said = isStuck || conversation.isAllowed(call.name) ? "yes" : await audience.approve(call);
    if (said === "stop") return undefined;
    if (said === "always") conversation.allow(call.name);
    agreed.add(call.call_id);
    const refusal = isStuck ? { reason: "This chat cannot run the tool." } : {};
    decisions[call.call_id] = said === "no" || isStuck ? { action: "refuse", ...refusal } : { action: "continue" };
  }
  return decisions;
}
