import { hoistInstructions } from "../core/views.ts";
import { inputType } from "../model/guards.ts";
import type { Include, InputItem } from "../model/index.ts";
import { callsOf, findAnchor, isKept } from "./anchor.ts";
import { callsElsewhere, stringIn } from "./call-pairs.ts";
import type { LintChange } from "./lint-rules.ts";
import type { LintOptions } from "./lint.ts";
import type { Compacted, Entry, Target } from "./log-records.ts";
import type { Log } from "./log.ts";
import { isOwn, readableHead } from "./ownership.ts";
import { replay } from "./replay.ts";

/** Why a plan sends only newer items (`chained`, `held`) or everything. */
export const planReasons = {
  chained: "The provider stores its last response.",
  held: "The connection still has the provider's last response.",
  "nothing-stored": "The provider stores no response of this conversation.",
  "store-off": "Storing is turned off.",
  stateless: "The provider does not store responses.",
  compacted: "The conversation was compacted after the provider's last response.",
  expired: "The provider's last response has expired.",
  "chain-lost": "The provider no longer has its last response.",
  "late-output": "A call got another output after the provider's last response.",
  unchained: "The caller sends the whole input with every request.",
} as const satisfies Record<string, string>;

export type PlanReason = keyof typeof planReasons;

/** Entries before these indices caused errors and are sent with more care. */
export interface Distrust {
  /** Responses before this one are not chained to, and nothing before it counts as kept. */
  chains?: number;
  /** Blobs before this one are not sent. */
  blobs?: number;
  /** Of what is before this one, only messages and the caller's own calls are sent. */
  items?: number;
  /** No blobs are asked for. */
  include?: boolean;
}

/** What a plan depends on, beside the log and the target. */
export interface PlanOptions {
  /** Whether the provider is to keep the response; where nothing is said, it is if it can. */
  store?: boolean | null;
  instructions?: string | null;
  /** Whether system and developer messages at the head of the log go to the instructions; so where nothing is said. */
  hoist?: boolean;
  /**
   * Whether the request may continue a stored response; yes by default. If not, the log is sent as it is while the target
   * stores its items, made all of them, and has rejected none.
   */
  chain?: boolean;
  /** Whether the log follows a stored response, so that its first outputs may answer calls that are not in it. */
  follows?: boolean;
  distrust?: Distrust;
  /** Whether the connection itself still has a response, so that it can be chained to although nobody stored it. */
  held?(response_id: string): boolean;
  /** Seconds since 1970, to tell what has expired. */
  now?: number;
}

/** What to send, and why. */
export interface Plan {
  previous_response_id?: string;
  input: InputItem[];
  /** The caller's, those at the head of the log, and the summary of what was compacted; sent every time, since no chain keeps them. */
  instructions?: string;
  include: Include[];
  store: boolean;
  reason: PlanReason;
  /** The entry after which everything is sent. */
  from: number;
  /** What was changed in the items; indices count from the first one that is sent. */
  stripped: LintChange[];
  /** What `lintItems` needs to find nothing left to change. */
  lint: Pick<LintOptions, "target" | "stored" | "chained">;
}

/**
 * What to send to a target so that it knows the conversation: what came after its last response if it keeps those, else all of it.
 * Costs what came since it was last asked for the same target, and, where all is sent, a copy of the list.
 *
 * @example
 * const { previous_response_id, input, reason } = plan(log, target);
 */
export function plan(log: Log, to: Target, options: PlanOptions = {}): Plan {
  const target = assumed(to, options);
  const store = isKept(target, options);
  if (store && options.chain === false && isKnown(log, target, options.distrust)) return asGiven(log, target);
  const { anchor, reason } = findAnchor(log, target, options);
  // A blob that was made before the target refused blobs is one of those.
  const compacted = readableHead(log.compacted, target, (options.distrust?.blobs ?? 0) > log.barrier);
  const origin = anchor === undefined ? undefined : log.entries[anchor]?.origin;
  const head = systemHead(log);
  const body = anchor === undefined ? Math.max(head, compacted?.to ?? 0) : anchor + 1;
  const kept = anchor === undefined && options.hoist === false ? log.entries.slice(0, head) : [];
  const stands = anchor === undefined ? (compacted?.items ?? []) : [];
  const basis = {
    target,
    lead: [...kept.map(({ item }) => item), ...stands],
    from: body,
    ...chainedCalls(log, anchor, options),
    distrust: { ...options.distrust },
  };
  // Without the messages at its head, a log that is in order still is; cut anywhere else, it may have outputs without calls.
  const inOrder = body === head && stands.length === 0 && log.inOrder;
  const { items, changes, lint } = replay(log.entries, basis, inOrder);
  const instructions = instructionsOf(log, head, compacted, options);
  const blobs = (!store || options.chain === false) && target.encrypts && options.distrust?.include !== false;
  return {
    ...(origin && { previous_response_id: origin.response_id }),
    input: items,
    ...(instructions && { instructions }),
    include: blobs ? ["reasoning.encrypted_content"] : [],
    store,
    reason,
    from: body,
    stripped: changes,
    lint,
  };
}

/** A caller who stores nothing has a server that could, and such servers encrypt reasoning. */
const assumed = (target: Target, { store }: PlanOptions): Target =>
  target.known === false && store === false ? { ...target, encrypts: true } : target;

/** Whether the target has made all items of the log that a model made, and has rejected none of them. */
const isKnown = ({ entries }: Log, target: Target, { chains = 0, blobs = 0, items = 0 }: Distrust = {}): boolean =>
  chains + blobs + items === 0 && entries.every(({ origin }) => !origin || isOwn(origin, target));

const asGiven = (log: Log, target: Target): Plan => ({
  input: log.items,
  include: [],
  store: true,
  reason: "unchained",
  from: 0,
  stripped: [],
  lint: { target },
});

function chainedCalls(log: Log, anchor: number | undefined, { follows }: PlanOptions): { chained?: InputItem[] } {
  if (anchor !== undefined) return { chained: callsOf(log.entries, anchor) };
  return follows ? { chained: callsElsewhere(log.items) } : {};
}

const isSystem = ({ item, origin }: Entry): boolean => {
  const role = inputType(item) === "message" ? stringIn(item, "role") : undefined;
  return origin === undefined && (role === "system" || role === "developer");
};

/** How many system and developer messages the log begins with. */
function systemHead({ entries }: Log): number {
  let count = 0;
  while (count < entries.length && isSystem(entries[count]!)) count += 1;
  return count;
}

function instructionsOf(log: Log, head: number, compacted: Compacted | undefined, options: PlanOptions): string | undefined {
  const messages = options.hoist === false ? [] : log.entries.slice(0, head).map(({ item }) => item);
  const parts = [options.instructions, hoistInstructions(messages).instructions, compacted?.summary].filter(Boolean);
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}
